// The stage strip and the answer.
const SPOKEN = { waiting: "not yet", now: "in progress", done: "done", failed: "failed" };

function stagesView(store, act) {
  const root = el("div", { class: "pe-stages pe-slim pe-tinted pe-edged", role: "group", "aria-label": "Stages of the run" });
  const keep = keeping();
  const draw = () => {
    const at = root.scrollLeft;
    const chips = store.stages.map((stage) => {
      const lit = Boolean(stage.node) && stage.node === store.selected;
      return [JSON.stringify([stage, lit]), () => chip(stage, lit, store, act)];
    });
    fill(root, keep(chips), store.total?.time && totalOf(store.total));
    requestAnimationFrame(() => scrollToStage(root, store, at)); // when all is drawn: to measure now means to lay out twice
  };
  return { root, draw };
}

function scrollToStage(root, store, before) {
  const now = store.state === "running" && root.querySelector(".pe-stage.now");
  root.scrollLeft = now ? Math.max(0, now.offsetLeft + now.offsetWidth + 100 - root.clientWidth) : before;
}

function chip(stage, lit, store, act) {
  return button(
    {
      class: `pe-stage pe-share pe-slim pe-bare ${stage.state} ${lit ? "lit" : ""}`,
      "data-kind": stage.kind,
      "data-state": stage.state,
      "aria-pressed": stage.node ? String(lit) : null,
      disabled: !stage.node,
      title: stage.tip,
      onclick: () => act.select(stage.node),
    },
    icon(stage.kind, store.looks, 22),
    el(
      "span",
      { class: "pe-name pe-ell" },
      el("b", {}, stage.term),
      stage.time && el("span", { class: "pe-broad pe-quiet" }, ` · ${stage.time}`),
    ),
    el("span", { class: "pe-sub pe-ell pe-quiet" }, stage.asked ? `asked ${clockOf(new Date(stage.asked))}` : stage.sub),
    el("span", { class: "pe-hear" }, SPOKEN[stage.state]),
  );
}

function totalOf(total) {
  return el("div", { class: "pe-total pe-stack pe-nowrap pe-tinted" }, el("b", { class: "pe-name" }, total.time), el("span", { class: "pe-sub pe-quiet" }, total.text));
}

function answerView(store, act) {
  const body = el("div", { class: "pe-body pe-scroll", tabindex: 0, "aria-label": "Answer" });
  const root = el("section", { class: "pe-panel pe-stack pe-slim pe-answer pe-rigid", "aria-label": "Answer" });
  const headLine = el("div", { class: "pe-head pe-row pe-rigid pe-slim pe-tinted" });
  root.append(headLine, body);
  const draw = () => {
    const { answer } = store;
    const verdict = answer.pill && pill(answer.pill);
    fill(headLine, el("h3", {}, "Answer"), byline(answer.author), grow(), verdict, copyButton(store, body));
    const caret = answer.live && el("span", { class: "pe-caret" });
    fill(body, answer.text ? el("p", {}, sentences(store, act), caret) : waiting(store));
  };
  return { root, draw };
}

function waiting(store) {
  const words =
    store.state === "start"
      ? "The answer appears here. Each number in it leads to the fact it rests on."
      : store.state === "running"
        ? "Written once the facts are found."
        : "No answer was written.";
  return el("p", { class: "pe-quiet" }, words);
}

function pill({ text, ok }) {
  return el("span", { class: `pe-pill pe-inline pe-rigid pe-nowrap ${ok ? "ok" : "bad"}` }, `${ok ? "✓" : "!"} ${text}`);
}

function sentences(store, act) {
  const { text, runs } = store.answer;
  if (!runs) return [text];
  return runs.map((run) => {
    const marked = run.cites.some(({ node }) => node === store.selected);
    return el(
      "span",
      { class: marked ? "pe-sentence on" : "pe-sentence" },
      run.text,
      run.cites.map((cite) => citation(cite, store, act)),
    );
  });
}

function citation({ n, node, tip }, store, act) {
  const on = node === store.selected;
  return citeButton(n, tip, () => act.select(node), { on, "aria-pressed": String(on) });
}
