// Correcting a fact: it is retracted, or put in other words, or one is added with the words that say it. Each is on
// record with the time, and with a name where one is given.
function takeCorrected(store, message) {
  const { said, undone } = message;
  store.tell("settled");
  Object.assign(store, { corrected: undone || said, canUndo: !undone, follows: true });
  if (store.documents.wanted) entityAnew(store);
  const listed = [...store.nodes.values()].filter(({ id, kind }) => kind === "NotKept" && store.others.get(id));
  for (const { id } of listed) store.send({ t: "notkept?", run: store.run, node: id });
  if (store.correcting?.sent) store.correcting = null; // it may have been corrected in another window
  store.tell("corrected");
}

// What a fact on show says of itself after it was corrected.
function takeCurated(store, message) {
  const { details, outcomes, answer } = message;
  for (const [id, now] of Object.entries(outcomes)) if (store.nodes.has(id)) store.nodes.set(id, { ...store.nodes.get(id), ...now });
  store.here = null;
  for (const [id, detail] of Object.entries(details)) if (store.nodes.has(id)) store.nodes.get(id).detail = detail;
  if (store.answer.runs) Object.assign(store.answer, answer);
  store.tell("curated");
}

// `place` is where the form stands: one at a time.
function startCorrecting(store, target) {
  store.correcting = target && { ...target, form: null };
  if (target) store.tell("settled");
  store.tell("correcting");
  store.correcting?.form?.scrollIntoView({ block: "nearest", behavior: still() ? "instant" : "smooth" });
}

// Opens a form, or closes it if it is open for the same.
function turnCorrecting(store, target) {
  const open = isCorrecting(store, target.place);
  const isSame = open?.fact === target.fact && open?.splits === target.splits;
  startCorrecting(store, open && isSame ? null : target);
}

const isCorrecting = (store, place) => (store.correcting?.place === place ? store.correcting : null);

// The form is made once: what was typed stays, whatever is drawn anew around it.
function correctForm(store, place) {
  const target = isCorrecting(store, place);
  if (!target) return null;
  target.form ??= (target.splits ? splitForm : target.entity ? nameForm : factForm)(store, target);
  return target.form;
}

// What all of them have: what is asked, who says so and why, and what sends it; `ways` are the words of its buttons, what
// each does with the signature, and its tooltip.
function correction(store, target, { label, asked, hint, fields, ways, look = "" }) {
  const signed = signature(store, target);
  const does = (way) => () => way(signed.values());
  const close = () => startCorrecting(store, null);
  const onkeydown = inForm(does(ways[0][1]), close);
  const buttons = ways.map(([words, way, title], at) => smallButton(words, does(way), { class: at ? "" : "go", title }));
  return el(
    "form",
    { class: `pe-correct pe-topped pe-tinted pe-stack pe-gap-m pe-rigid pe-fine ${look}`, "aria-label": label, onkeydown },
    el("b", {}, asked),
    hint && el("span", "pe-quiet", hint),
    fields,
    signed.root,
    el("div", "pe-row pe-wrap pe-gap-l pe-slim", buttons, smallButton("Cancel", close)),
  );
}

function factForm(store, target) {
  const { fact, words = ["", "", ""], document = "", part = null, quote = "" } = target;
  const [s, p, o] = ["Who or what", "does or is what", "to whom or what"].map((label, at) => field("input", label, words[at]));
  const said = field("textarea", "The words that say it", quote);
  const terms = () => ({ s: s.input.value, p: p.input.value, o: o.input.value });
  const triple = el("div", "pe-row pe-wrap pe-gap-l pe-correct-fact", s.root, p.root, o.root);
  if (!fact) {
    const add = (signed) => {
      const { s, p, o } = terms();
      store.send({ t: "fact", document, part, words: said.input.value, s, p, o, by: signed.by, reason: signed.reason });
    };
    const asked = "What does the page say?";
    return correction(store, target, { label: "Add a fact", asked, fields: [triple, said.root], ways: [["Add it", add]] });
  }
  const save = ({ by, reason }) => {
    const { s, p, o } = terms();
    store.send({ t: "change", fact, s, p, o, by, reason });
  };
  const retract = ({ by, reason }) => store.send({ t: "retract", fact, by, reason });
  const untrue = ["It is not true: retract it", retract, "It answers no more; past answers say so"];
  const ways = [["Save the correction", save], untrue];
  return correction(store, target, { label: "Correct this fact", asked: "What is right?", fields: triple, ways });
}

function nameForm(store, target) {
  const { entity } = target;
  const name = field("input", "Name", target.name);
  const save = ({ by, reason }) => store.send({ t: "merge", entity, name: name.input.value, by, reason });
  return correction(store, target, {
    label: "Another name",
    asked: `What is “${target.name}” called?`,
    hint: "If something here is called that already, both are one from now on.",
    fields: name.root,
    ways: [["Save the name", save]],
  });
}

// A name that stands for two things: the other one gets the facts whose passages have the name, or those of documents.
function splitForm(store, target) {
  const { entity, name, others, named } = target;
  const other = field("input", "Name of the other one", others[0] ?? "");
  const boxes = named.map(({ iri, title }) => ({ iri, input: el("input", { type: "checkbox" }), title }));
  const save = ({ by, reason }) => {
    const documents = boxes.filter(({ input }) => input.checked).map(({ iri }) => iri);
    store.send({ t: "split", entity, name: other.input.value, documents, by, reason });
  };
  const box = ({ input, title }) => el("label", "pe-row pe-slim", input, el("span", { class: "pe-ell", dir: "auto", title }, title));
  const legend = el("legend", "pe-quiet", "Or all those of these documents:");
  return correction(store, target, {
    label: "Split",
    asked: `Which facts are not about “${name}”?`,
    hint: "Those of passages that have the other one's name go to it.",
    fields: [other.root, boxes.length > 1 && el("fieldset", "pe-split pe-stack pe-scroll", legend, boxes.map(box))],
    ways: [["Split it", save]],
    look: "pe-scroll",
  });
}

// Why it is corrected and by whom, as is on record with it.
function signature(store, target) {
  const why = field("input", "Why (optional)", "");
  const by = field("input", "Your name (optional)", store.by ?? "");
  return {
    root: el("div", "pe-row pe-wrap pe-gap-l pe-correct-fact", why.root, by.root),
    values() {
      store.by = by.input.value.trim();
      target.sent = true;
      return { by: store.by, reason: why.input.value.trim() };
    },
  };
}

function field(tag, label, value) {
  const input = el(tag, { dir: "auto", "aria-label": label });
  input.value = value;
  return { input, root: el("label", "pe-stack", el("span", "pe-quiet", label), input) };
}

// What was done last stands over the window's edge that is farther from the pointer, with a way back: nothing moves, and
// it is in sight wherever one has scrolled. It goes by itself; each correction can be undone where its fact stands.
const NEAR_EDGE = 160; // px from the lower edge, where a pointer has it stand above
const TOLD_FOR = 20_000; // ms

function correctedLine(store) {
  const root = el("div", { class: "pe-corrected pe-row pe-gap-l pe-fine", role: "status", popover: "manual" });
  let going = null;
  const close = () => {
    clearTimeout(going);
    store.corrected = "";
    draw();
  };
  const wait = () => {
    clearTimeout(going);
    going = setTimeout(() => (root.matches(":hover, :focus-within") ? wait() : close()), TOLD_FOR);
  };
  const draw = () => {
    const shown = isOpen(root);
    if (!store.corrected && shown) root.hidePopover();
    if (!store.corrected) return clearTimeout(going);
    const follows = store.follows && " Answers from now on go by that.";
    const said = el("span", "pe-share pe-slim pe-anywhere", store.corrected, follows);
    const undo = store.canUndo && smallButton("Undo", () => undoAt(store, null));
    fill(root, said, undo, signButton("×", "Close", close, { title: null }));
    root.classList.toggle("above", Number(store.pointer.split(" ")[1] ?? 0) > innerHeight - NEAR_EDGE);
    if (!shown) root.showPopover();
    wait();
  };
  return { root, draw };
}

// All that was corrected, the last first, in the place of the documents.
const CORRECTIONS = "What people corrected by hand, with when and by whom; each can be undone";

function listCorrections(store, corrects) {
  store.documents.corrects = corrects;
  if (corrects) store.send({ t: "corrections?" });
  store.tell("documents");
}

function takeCorrections(store, message) {
  store.documents.corrections = message;
  store.tell("documents");
}

function correctionRows(store) {
  const { corrections } = store.documents;
  if (!corrections) return null;
  const { items, more } = corrections;
  if (!items.length) return el("li", "pe-none", "Nothing was corrected by hand.");
  const undo = ({ iri, said }) => smallButton("Undo", () => undoAt(store, null, iri), { "aria-label": `Undo: ${said}` });
  const row = (one) => {
    const about = joinWords([whenOf(one.when), one.by && `by ${one.by}`, one.reason && `“${one.reason}”`, one.undone]);
    const words = el("span", "pe-stack pe-share pe-slim", el("span", "pe-anywhere", one.said), el("span", "pe-quiet pe-fine", about));
    return el("li", "pe-correction pe-row pe-top", words, !one.undone && canAsk(store) && undo(one));
  };
  const head = el("li", "pe-correction pe-quiet pe-fine", "Corrections, the last first");
  return [head, items.map(row), restOf("li", items.length + more, items.length)];
}

const undoAt = (store, fact, act = null) => store.send({ t: "uncorrect", by: store.by ?? "", fact, act });

// The store of the app where a page can be corrected; none where nobody hears it, and of one that has a newer version.
function correctedHere(view, page) {
  const { store } = view.act?.view ?? {};
  return store && canAsk(store) && !page.newer && !view.large ? store : null;
}

// Of a fact on a page: what was done with it by hand, and the way to correct it.
function correctingOf(fact, view, page) {
  const store = correctedHere(view, page);
  if (!fact.key || !store) return fact.by ? el("span", "pe-quiet pe-fine", fact.by) : null;
  return correctingAt(store, view.place, fact);
}

function correctingAt(store, place, { key, by, words, gone }) {
  const correct = () => turnCorrecting(store, { place, fact: key, words });
  const link = (word, label, does, title = null) =>
    linkButton(word, does, { class: "pe-fine pe-rigid", "aria-label": label, title });
  return el(
    "span",
    "pe-row pe-wrap",
    by && el("span", "pe-quiet pe-fine", by),
    by && link("Undo", `Undo: ${words.join(" ")}, ${by}`, () => undoAt(store, key)),
    !gone && link("Not right?", `Not right? Correct: ${words.join(" ")}`, correct, "Correct this fact, or retract it"),
  );
}

// The words that are selected on the page are those that say it.
function addFactButton(view, page) {
  const store = correctedHere(view, page);
  if (!page.document || !store) return null;
  let quote = "";
  const note = () => (quote = String(getSelection()).trim().slice(0, 2000));
  const { document, part } = page;
  const open = () => {
    view.close?.(); // the form stands beside the answer
    startCorrecting(store, { place: view.place, document, part, quote });
  };
  return linkButton("Add a fact…", open, { class: "pe-line", onpointerdown: note, title: "Select the words that say it first" });
}
