// What mattered for the answer: it is asked again without each fact, passage or document, and each is rated by what is lost.
const MATTERED = { facts: "Facts", passages: "Passages", documents: "Documents" };
const MATTERED_BELOW = 28; // px: its heading stands above it
const MATTERED_SEEN = 3; // lines that are brought into sight with it
const SIGNS = { needed: "●", helped: "◐", "made no difference": "○", "not tried": "·" };

// What was found out over facts stays beside what is found out over documents: the last stands first.
function takeMattered(store, message) {
  store.mattered = [message, ...store.mattered.filter(({ over }) => over !== message.over)];
  store.tell("mattered");
}

const isAnswer = (store, { kind, id }) => looksOf(store, id).end && kind !== "Failure";

// On the answer and its sentences: all that was rated; on a fact, a passage or a document its own rating.
function matteredRows(node, store, act) {
  const pipeline = isAnswer(store, node) && pipelineOf(store);
  if (pipeline) return labelled("What mattered", el("span", "", `Not known: ${pipeline} made this run, so it can't be asked again here.`));
  if (tellsMattered(node, store)) return labelled("What mattered for the whole answer", matteredOn(store, act), "broad");
  const own = ratingOf(store, node.id);
  return own ? labelled("Without it", [rated(own, own.verdict), el("span", "pe-fine pe-quiet", ` ${lost(own)}`)]) : [];
}

const tellsMattered = (node, store) =>
  (isAnswer(store, node) || node.kind === "Sentence") &&
  !node.level &&
  endState(store) === "done" &&
  !pipelineOf(store) &&
  (canAsk(store) || store.mattered.length > 0);

// In the head, which is always in sight: down to what mattered, below all that the answer rests on.
function matteredLink(node, body, store, act) {
  if (!tellsMattered(node, store) || act.weighs === node.id) return null;
  const title = "What the answer loses without each fact, passage or document";
  return smallButton("What mattered", () => scrollToMattered(body), { title });
}

function scrollToMattered(body) {
  const toTop = () => {
    const [at, top] = [body.querySelector(".pe-mattered"), body].map((one) => one.getBoundingClientRect().top);
    body.scrollTop += (at - top) / (body.currentCSSZoom ?? 1) - MATTERED_BELOW;
  };
  toTop();
  const first = [...body.querySelectorAll(".pe-mattered .pe-matter > li")].slice(0, MATTERED_SEEN);
  first.at(-1)?.scrollIntoView({ block: "nearest" }); // also of what lies around the panel
  toTop(); // what was found stands above its lines
}

// What was asked for comes into sight when it begins and when it is found, unless one has scrolled in between.
function bringMattered({ act, store, parts }) {
  const body = parts.detail.root.querySelector(".pe-body:has(.pe-mattered)");
  const found = store.mattered[0];
  if (!act.matters || !body || (found.state === "going" && act.matters.over === found.over)) return;
  const hasScrolled = act.matters.over === found.over && Math.abs(body.scrollTop - act.matters.left) > 2;
  if (!hasScrolled) scrollToMattered(body);
  act.matters = found.state === "going" && { over: found.over, left: body.scrollTop };
}

const ratedAnswer = (store) => [...store.nodes.values()].find((node) => isAnswer(store, node) && tellsMattered(node, store));

// To the answer, where what mattered for it stands first.
function whatIf(store, act) {
  const final = ratedAnswer(store);
  if (!final) return;
  act.weighs = final.id;
  act.select(final.id);
}

const lost = ({ change }) => (change ? `${Math.round(change * 100)} % of the answer's sentences are lost` : "the answer says the same");

function matteredOn(store, act) {
  const going = store.mattered.some(({ state }) => state === "going");
  const ask = Object.entries(MATTERED).map(([over, word]) => {
    const on = store.mattered.some((one) => one.over === over);
    return toggleButton(on, word, () => act.matter(over), { disabled: going || store.bar?.running });
  });
  const ways = canAsk(store) && el("div", "pe-row pe-gap-l pe-wrap", ask);
  const hint = !store.mattered.length && el("p", "pe-fine pe-quiet", "Asks again without each, and says what the answer loses.");
  return el("div", "pe-mattered", ways, hint, store.mattered.map((one) => matteredOver(one, store, act)));
}

function matteredOver(found, store, act) {
  const rows = found.items.map((item) => matteredLine(item, store, act));
  return el(
    "div",
    { role: "group", "aria-label": `What mattered: ${MATTERED[found.over]}` },
    (store.mattered.length > 1 || !canAsk(store)) && el("b", "pe-fine", MATTERED[found.over]),
    found.state === "going" && progressOf(found, act),
    el("p", { class: "pe-fine", role: "status" }, found.said.join(" ")),
    found.more.length > 0 && folding(act.unfolded, `mattered ${found.over}`, "More", el("p", {}, found.more.join(" "))),
    rows.length > 0 && el("p", "pe-fine pe-quiet", "Bars: how much of the answer is lost without it. Untick one to ask again."),
    el("ul", "pe-plain pe-matter", rows),
    byline(found.author),
  );
}

function progressOf({ made, of, now }, act) {
  const bar = el("progress", { max: of, value: made, "aria-label": `${made} of ${of} runs` });
  const words = el("span", "pe-fine pe-quiet pe-ell", `run ${made} of ${of}: ${now === "as it was" ? now : `without ${now}`}`);
  return el("div", "pe-row pe-gap-l pe-matter-ways", bar, words, smallButton("Stop", () => act.stop()));
}

function matteredLine(item, store, act) {
  const link = item.node ? linkButton(item.text, () => act.select(item.node)) : el("span", {}, item.text);
  const words = el("div", "pe-top pe-gap-s", leftBox(item.node, item.text, store), item.numbers.map(numberInAnswer), link);
  const odd = item.change !== null && item.cited === (item.change === 0); // cited for nothing, or it matters unseen
  const cited = item.cited ? "cited" : "not cited";
  return el("li", odd ? "pe-lined odd" : "pe-lined", words, rated(item, `${item.verdict}, ${cited}`));
}

function rated({ change, verdict }, text) {
  const share = Math.round((change ?? 0) * 100);
  const bar = el("span", { class: "pe-meter", "aria-hidden": "true" }, el("i", { style: { width: `${share}%` } }));
  return el("span", "pe-fine pe-quiet pe-rated", bar, el("span", { "aria-hidden": "true" }, `${SIGNS[verdict] ?? ""} `), text);
}
