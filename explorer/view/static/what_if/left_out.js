// What if something were not there: facts, passages and documents that a run is asked again without, once, or with
// `further` each question until they are put back.
const LEAVES = new Set(["EdgeSelection", "ChunkSelection", "Passage", "Document"]); // as left_out.py names them

function whatIfLink(node, store) {
  if (!canAsk(store) || !LEAVES.has(node.kind)) return null;
  const left = store.bar.left.find(({ nodes }) => nodes.includes(node.id));
  const back = () => store.send({ t: "back", key: left.key });
  if (left) return linkButton("Left out: put it back", back);
  const leave = () => leaveOut(store, node.id, true);
  return linkButton("What if it were not there?", leave);
}

// From a fact or a passage: its whole document left out.
function whatIfItsDocument(node, store) {
  const document = store.path.find((id) => store.nodes.get(id)?.kind === "Document");
  if (!canAsk(store) || !document || node.kind === "Document" || !LEAVES.has(node.kind)) return null;
  const title = `Ask as if “${store.nodes.get(document).name}” were not there`;
  return linkButton("… its document?", () => leaveOut(store, document, true), { title });
}

// In the Documents tab, from where one is led to what was asked.
function whatIfDocument(store, { iri }) {
  if (!canAsk(store)) return null;
  const leave = () => {
    store.leaves = store.run;
    store.send({ t: "without document", iri });
  };
  return smallButton("What if it were not there?", leave, { title: "Ask as if this document were not there" });
}

function leaveOut(store, node, listed) {
  store.leaves = store.run; // from which run: beside another one it says nothing
  store.seeks = listed; // what says what is left out is to be seen, or else the button that asks again
  store.seeksAgain = !listed;
  store.send({ t: "without", run: store.run, node, listed });
}

// Before each of a list a box, without whose tick the run is asked again as if it were not there. Python says what is
// left out: until then the tick stays.
function leftBox(id, text, store) {
  if (!canAsk(store) || !LEAVES.has(store.nodes.get(id)?.kind)) return null;
  const left = store.bar.left.find(({ nodes }) => nodes.includes(id));
  const onchange = ({ target }) => {
    target.checked = !left;
    if (left) store.send({ t: "back", key: left.key });
    else leaveOut(store, id, false);
  };
  const title = left ? "Left out: tick it to put it back" : "Untick it to ask this run again without it";
  return el("input", { type: "checkbox", class: "pe-keeps pe-rigid", checked: !left, title, "aria-label": `Ask with ${text}`, onchange });
}

// At the foot of such a list, once something is not ticked.
function againPart(store, act) {
  if (!store.live || !store.bar?.left.length) return null;
  const again = allowAgain(againButton(act, `Ask this run again ${withoutWords(store.bar.left)}`, "small pe-again"), store);
  const { quoted } = store.bar.left.at(-1);
  return [again, quoted && el("p", "pe-goes-too pe-anywhere", quoted)];
}

const againButton = (act, words, size = "") => button({ class: `pe-btn go ${size}`, onclick: () => act.again() }, words);

function allowAgain(again, store) {
  const why = whyNotAgain(store);
  again.disabled = Boolean(why);
  again.title = why || "Ask this run again, and show both side by side";
  return again;
}

// How a run on show has ended, also while it is played and not at its end.
const endState = ({ frames, state }) => frames?.at(-1).state ?? state;

function whyNotAgain(store) {
  const { bar } = store;
  if (bar.waiting) return "Not yet: this run waits. Go on to its end with Next stage, or press Stop; then ask it again.";
  if (bar.running) return "Not yet: a run is going on. Wait for its end, or press Stop; then ask it again.";
  return ["start", "running"].includes(endState(store)) ? "No run is shown yet: ask a question first." : "";
}

// "without 2 facts, 1 document"; the facts that go with one count too.
function withoutWords(left) {
  const named = left.map(({ noun, text, also }) => [noun, noun === "fact" ? [text, ...also] : [text]]);
  const counts = new Map();
  for (const noun of new Set(named.map(([noun]) => noun))) {
    counts.set(noun, new Set(named.filter((one) => one[0] === noun).flatMap((one) => one[1])).size);
  }
  const words = [...counts].map(([noun, number]) => `${number} ${noun}${number > 1 ? "s" : ""}`);
  return words.length ? `without ${words.join(", ")}` : "";
}

const ONCE = "The run is asked again as if this were not in your documents, once: the next question has it again. Nothing is deleted.";
const FROM_NOW_ON = "Each question is asked as if this were not in your documents, until you put it back. Nothing is deleted.";

function leftPart(store, act) {
  const list = el("ul", "pe-plain pe-left-list");
  const again = againButton(act, "Ask this run again without these");
  const all = button({ class: "pe-btn", onclick: () => store.send({ t: "back", key: null }) }, "Put all back");
  const note = el("p", "pe-fine pe-quiet");
  const box = el("input", { type: "checkbox", onchange: () => changeBar(store, { further: box.checked }) });
  const further = el("label", "pe-row pe-further pe-fine", box, "Leave out of further questions too");
  const ways = el("div", "pe-row pe-left-ways", again, all);
  const why = el("p", { class: "pe-fine", role: "status" });
  const root = groupOf("Left out", "pe-left-out", el("b", {}, "What if this were not there?"), list, ways, why, further, note);
  const keep = keeping();
  const draw = (bar) => {
    const { left } = bar;
    root.hidden = !left.length;
    fill(list, keep(left.map((item) => [JSON.stringify(item), () => leftLine(item, store)])));
    allowAgain(again, store);
    fill(why, whyNotAgain(store));
    why.hidden = !whyNotAgain(store);
    put(box, bar.further);
    fill(note, bar.further ? FROM_NOW_ON : ONCE);
  };
  return { root, draw };
}

function leftLine({ key, noun, text, also, quoted }, store) {
  const back = linkButton("Put back", () => store.send({ t: "back", key }), { class: "pe-rigid", "aria-label": `Put back: ${text}` });
  const goes = also.length === 1 ? "This fact goes" : "These facts go";
  const more = also.length > 0 && el("p", "pe-fine pe-anywhere", `${goes} too, taken from the same sentence: ${also.join("; ")}`);
  return el(
    "li",
    {},
    el("div", "pe-top", el("span", "pe-anywhere", el("span", "pe-quiet", `${noun} `), text), back),
    quoted && el("p", "pe-fine pe-anywhere", quoted),
    more,
  );
}
