// What if something were not there: facts, passages and documents that a run is asked again without, once, or with
// `further` each question until they are put back.
const LEAVES = { EdgeSelection: "fact", ChunkSelection: "passage", Passage: "passage", Document: "document" }; // as left_out.py names them

function whatIfLink(node, store) {
  if (!canAskAgain(store) || !LEAVES[node.kind]) return null;
  const left = store.bar.left.find(({ nodes }) => nodes.includes(node.id));
  const back = () => store.send({ t: "back", key: left.key });
  if (left) return smallButton("Left out: put it back", back);
  return smallButton(`Ask without this ${LEAVES[node.kind]}`, () => leaveOut(store, node.id), { title: ONCE });
}

// From a fact or a passage: its whole document left out.
function whatIfItsDocument(node, store) {
  const document = store.path.find((id) => store.nodes.get(id)?.kind === "Document");
  if (!canAskAgain(store) || !document || node.kind === "Document" || !LEAVES[node.kind]) return null;
  const title = `Ask without “${store.nodes.get(document).name}”`;
  return smallButton("Without this document", () => leaveOut(store, document), { title });
}

// In the Documents tab, from where one is led to what was asked.
function whatIfDocument(store, { iri }) {
  if (!canAsk(store)) return null;
  const leave = () => {
    store.leaves = store.run;
    store.send({ t: "without document", iri });
  };
  return smallButton("Ask without this document", leave, { title: ONCE });
}

function leaveOut(store, node) {
  store.leaves = store.run; // from which run: beside another one it says nothing
  store.send({ t: "without", run: store.run, node });
}

// Before each of a list a box, without whose tick the run is asked again as if it were not there. Python says what is
// left out: until then the tick stays.
function leftBox(id, text, store) {
  if (!canAskAgain(store) || !LEAVES[store.nodes.get(id)?.kind]) return null;
  const left = store.bar.left.find(({ nodes }) => nodes.includes(id));
  const onchange = ({ target }) => {
    target.checked = !left;
    if (left) store.send({ t: "back", key: left.key });
    else leaveOut(store, id);
  };
  const title = left ? "Left out: tick it to put it back" : "Untick it to ask this run again without it";
  return el("input", { type: "checkbox", class: "pe-keeps pe-rigid", checked: !left, title, "aria-label": `Ask with ${text}`, onchange });
}

// How a run on show has ended, also while it is played and not at its end.
const endState = ({ frames, state }) => frames?.at(-1).state ?? state;

function whyNotAgain(store) {
  const { bar } = store;
  if (bar.waiting) return "Not yet: this run waits. Go on to its end with Next stage, or press Stop; then ask it again.";
  if (bar.running) return "Not yet: a run is going on. Wait for its end, or press Stop; then ask it again.";
  return ["start", "running"].includes(endState(store)) ? "No run is shown yet: ask a question first." : "";
}

const ONCE = "Asks once without it. Nothing is deleted.";
const FROM_NOW_ON = "Asks each question without it, until you put it back. Nothing is deleted.";

function leftPart(store, act) {
  const list = el("ul", "pe-plain pe-left-list");
  const again = button({ class: "pe-btn go", onclick: () => store.send({ t: "again" }) }, "Ask this run again without these");
  const all = button({ class: "pe-btn", onclick: () => store.send({ t: "back", key: null }) }, "Put all back");
  const note = el("p", "pe-fine pe-quiet");
  const box = el("input", { type: "checkbox", onchange: () => changeBar(store, { further: box.checked }) });
  const further = el("label", "pe-row pe-gap-m pe-further pe-fine", box, "Leave out of further questions too");
  const ways = el("div", "pe-row pe-gap-l pe-left-ways", again, all);
  const why = el("p", { class: "pe-fine", role: "status" });
  const root = groupOf("Left out", "pe-left-out pe-rigid pe-scroll pe-edged", el("b", {}, "Ask without"), list, ways, why, further, note);
  const keep = keeping();
  const draw = () => {
    const { bar, mode, leaves, run } = store;
    const left = (mode === "ask" || leaves === run) && bar ? bar.left : [];
    const opens = root.hidden && left.length > 0 && leaves === run;
    root.hidden = !left.length;
    if (root.hidden) return;
    fill(list, keep(left.map((item) => [JSON.stringify(item), () => leftLine(item, store)])));
    const not = whyNotAgain(store);
    Object.assign(again, { disabled: Boolean(not), title: not || "Ask this run again, and show both side by side" });
    fill(why, not);
    why.hidden = !not;
    put(box, bar.further);
    fill(note, bar.further ? FROM_NOW_ON : ONCE);
    if (opens && root.offsetParent && !act.presents) bringUp(act.view); // whoever pressed what is further down is to see it
  };
  return { root, draw };
}

function leftLine({ key, noun, text, also, quoted }, store) {
  const back = linkButton("Put back", () => store.send({ t: "back", key }), { class: "pe-rigid", "aria-label": `Put back: ${text}` });
  const goes = also.length === 1 ? "This fact goes" : "These facts go";
  const more = also.length > 0 && `${goes} too, taken from the same sentence: ${also.join("; ")}`;
  const line = el("div", "pe-top", el("span", "pe-anywhere", el("span", "pe-quiet", `${noun} `), text), back);
  return el("li", {}, line, [quoted, more].filter(Boolean).map((words) => el("p", "pe-fine pe-anywhere", words)));
}
