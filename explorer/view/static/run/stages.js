// The stage strip. While the run waits, the stage that is explained is marked, also one that was explained before.
const SPOKEN = { waiting: "not yet", now: "in progress", done: "done", failed: "failed" };

function stagesView(store, act) {
  const root = groupOf("Stages of the run", "pe-stages pe-slim pe-tinted pe-edged");
  const keep = keeping();
  const draw = () => {
    const told = toldStage(store);
    const chips = store.stages.map((given) => {
      const lit = Boolean(given.node) && given.node === (store.selected ?? told);
      const stage = given.state === "now" && isHeld(store, act) ? { ...given, state: "waiting", sub: heldWord(store, given) } : given;
      return [JSON.stringify([stage, lit]), () => chip(stage, lit, store, act)];
    });
    fill(root, keep(chips), store.total?.time && totalOf(store.total));
    requestAnimationFrame(() => scrollToStage(root, store)); // when all is drawn: to measure now means to lay out twice
  };
  return { root, draw };
}

const WAITING_FOR_YOU = "waiting for you";

// A step of an agent stands in the graph from its beginning on.
const heldWord = ({ waiting }, { node }) => (waiting ? WAITING_FOR_YOU : node ? "begun" : "not yet");

// Whether nothing is at work at the next stage: a run waits, or is played and paused, or shows still what the last one kept.
const isHeld = ({ waiting, frames, at }, act) => waiting || Boolean(frames && (!act.player.timer || frames[at + 1]?.piece));

// The stage that is explained, or what it kept.
function toldStage(store) {
  const id = taughtNode(store);
  return id && EXPLAINED.has(store.nodes.get(id).kind) ? store.teaching?.node : id;
}

function scrollToStage(root, store) {
  const now = store.state === "running" && root.querySelector(".pe-stage.now");
  if (now) root.scrollLeft = Math.max(0, now.offsetLeft + now.offsetWidth + 100 - root.clientWidth);
}

function chip(stage, lit, store, act) {
  const root = button({
    class: `pe-stage pe-share pe-slim pe-bare ${stage.state} ${lit ? "lit" : ""}`,
    "data-kind": stage.kind,
    "data-state": stage.state,
    "aria-pressed": stage.node ? String(lit) : null,
    disabled: !stage.node,
    title: wholeOf(stage),
    onclick: () => act.select(stage.node),
  });
  root.append(
    icon(stage.kind, store.looks, 22),
    el(
      "span",
      "pe-name pe-ell",
      explainedPair(stage, root, store),
      stage.time && el("span", "pe-wide pe-quiet", ` · ${stage.time}`),
    ),
    el("span", "pe-sub pe-ell pe-quiet", stage.asked ? `asked ${clockOf(new Date(stage.asked))}` : stage.sub),
    el("span", "pe-hear", SPOKEN[stage.state]),
  );
  return root;
}

// The line below the name may be cut.
const wholeOf = ({ tip, sub }) => (!tip || !sub || tip.includes(sub) ? tip : `${tip}\n${sub}`);

function totalOf(total) {
  const time = el("b", "pe-name", total.time);
  const about = el("span", "pe-sub pe-quiet", total.text);
  return el("div", { class: "pe-total pe-stack pe-nowrap pe-tinted", title: total.tip }, time, about);
}
