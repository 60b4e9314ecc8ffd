// Correcting a fact: it is retracted, or put in other words, or one is added with the words that say it. Each is on
// record with the time, and with a name where one is given.
function takeCorrected(store, message) {
  const { said } = message;
  store.tell("settled");
  Object.assign(store, { corrected: said, follows: true });
  if (store.documents.wanted) entityAnew(store);
  if (store.correcting?.sent) store.correcting = null; // it may have been corrected in another window
  store.tell("corrected");
}

// What a fact on show says of itself after it was corrected.
function takeCurated(store, message) {
  const { run, details, answer } = message;
  if (run !== store.run) return;
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

const isCorrecting = (store, place) => (store.correcting?.place === place ? store.correcting : null);

// The form is made once: what was typed stays, whatever is drawn anew around it.
function correctForm(store, place) {
  const target = isCorrecting(store, place);
  if (!target) return null;
  target.form ??= target.splits ? splitForm(store, target) : target.entity ? nameForm(store, target) : makeForm(store, target);
  return target.form;
}

function makeForm(store, target) {
  const { fact, words = ["", "", ""], document = "", part = null, quote = "" } = target;
  const [s, p, o] = ["Who or what", "does or is what", "to whom or what"].map((label, at) => field("input", label, words[at]));
  const said = field("textarea", "The words that say it", quote);
  const signed = signature(store, target);
  const save = () => {
    const { by, reason } = signed.values();
    const terms = [s, p, o].map(({ input }) => input.value);
    if (fact) store.send({ t: "change", fact, s: terms[0], p: terms[1], o: terms[2], by, reason });
    else store.send({ t: "fact", document, part, words: said.input.value, s: terms[0], p: terms[1], o: terms[2], by, reason });
  };
  const untrue = () => {
    const { by, reason } = signed.values();
    store.send({ t: "retract", fact, by, reason });
  };
  const close = () => startCorrecting(store, null);
  return el(
    "form",
    {
      class: "pe-correct pe-stack pe-rigid pe-fine",
      "aria-label": fact ? "Correct this fact" : "Add a fact",
      onkeydown: (event) => {
        sendOnEnter(save)(event);
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      },
    },
    el("b", {}, fact ? "What is right?" : "What does the page say?"),
    el("div", { class: "pe-row pe-wrap pe-correct-fact" }, s.root, p.root, o.root),
    !fact && said.root,
    signed.root,
    el(
      "div",
      { class: "pe-row pe-wrap pe-slim" },
      button({ class: "pe-btn small go", onclick: save }, fact ? "Save the correction" : "Add it"),
      fact && button({ class: "pe-btn small", title: "It answers no more; past answers say so", onclick: untrue }, "It is not true: retract it"),
      button({ class: "pe-btn small", onclick: close }, "Cancel"),
    ),
  );
}

function nameForm(store, target) {
  const name = field("input", "Name", target.name);
  const signed = signature(store, target);
  const save = () => {
    const { by, reason } = signed.values();
    store.send({ t: "merge", entity: target.entity, name: name.input.value, by, reason });
  };
  return el(
    "form",
    { class: "pe-correct pe-stack pe-rigid pe-fine", "aria-label": "Another name", onkeydown: sendOnEnter(save) },
    el("b", {}, `What is “${target.name}” called?`),
    el("span", { class: "pe-quiet" }, "If something here is called that already, both are one from now on."),
    name.root,
    signed.root,
    el(
      "div",
      { class: "pe-row pe-wrap pe-slim" },
      button({ class: "pe-btn small go", onclick: save }, "Save the name"),
      button({ class: "pe-btn small", onclick: () => startCorrecting(store, null) }, "Cancel"),
    ),
  );
}

// A name that stands for two things: the other one gets the facts whose passages have the name, or those of documents.
function splitForm(store, target) {
  const { entity, name, others, named } = target;
  const other = field("input", "Name of the other one", others[0] ?? "");
  const signed = signature(store, target);
  const boxes = named.map(({ iri, title }) => ({ iri, input: el("input", { type: "checkbox" }), title }));
  const save = () => {
    const documents = boxes.filter(({ input }) => input.checked).map(({ iri }) => iri);
    const { by, reason } = signed.values();
    store.send({ t: "split", entity, name: other.input.value, documents, by, reason });
  };
  const box = ({ input, title }) => el("label", { class: "pe-row pe-slim" }, input, el("span", { class: "pe-ell", dir: "auto", title }, title));
  return el(
    "form",
    { class: "pe-correct pe-stack pe-rigid pe-fine pe-scroll", "aria-label": "Split", onkeydown: sendOnEnter(save) },
    el("b", {}, `Which facts are not about “${name}”?`),
    el("span", { class: "pe-quiet" }, "Those of passages that have the other one's name go to it."),
    other.root,
    boxes.length > 1 &&
      el("fieldset", { class: "pe-split pe-stack" }, el("legend", { class: "pe-quiet" }, "Or all those of these documents:"), boxes.map(box)),
    signed.root,
    el(
      "div",
      { class: "pe-row pe-wrap pe-slim" },
      button({ class: "pe-btn small go", onclick: save }, "Split it"),
      button({ class: "pe-btn small", onclick: () => startCorrecting(store, null) }, "Cancel"),
    ),
  );
}

// Why it is corrected and by whom, as is on record with it.
function signature(store, target) {
  const why = field("input", "Why (optional)", "");
  const by = field("input", "Your name (optional)", store.by ?? "");
  return {
    root: el("div", { class: "pe-row pe-wrap pe-correct-fact" }, why.root, by.root),
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
  return { input, root: el("label", { class: "pe-stack pe-share" }, el("span", { class: "pe-quiet" }, label), input) };
}

// What was done last stands over the window's edge that is farther from the pointer, with a way back: nothing moves, and
// it is in sight wherever one has scrolled. It goes by itself; each correction can be undone where its fact stands.
const NEAR_EDGE = 160; // px from the lower edge, where a pointer has it stand above
const TOLD_FOR = 20_000; // ms

function correctedLine(store) {
  const root = el("div", { class: "pe-corrected pe-row pe-fine", role: "status", popover: "manual" });
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
    const undo = () => store.send({ t: "uncorrect", by: store.by ?? "", fact: null });
    fill(
      root,
      el("span", { class: "pe-share pe-slim pe-anywhere" }, store.corrected, store.follows && " Answers from now on leave the fact out, or say so where they quote its words."),
      button({ class: "pe-btn small", onclick: undo }, "Undo"),
      signButton("×", "Close", close, { title: null }),
    );
    root.classList.toggle("above", Number(store.pointer.split(" ")[1] ?? 0) > innerHeight - NEAR_EDGE);
    if (!shown) root.showPopover?.();
    wait();
  };
  return { root, draw };
}

const undoAt = (store, fact) => store.send({ t: "uncorrect", by: store.by ?? "", fact });

// Of a fact on a page: what was done with it by hand, and the way to correct it.
function correctingOf(fact, on, view, page) {
  const { key, by, words } = fact;
  const { store } = view.act?.view ?? {};
  if (!key || !store?.bar || !store.live || page.newer || view.large) return by ? el("span", { class: "pe-quiet pe-fine" }, by) : null;
  const undo = () => undoAt(store, key);
  const correct = () => startCorrecting(store, isCorrecting(store, view.place)?.fact === key ? null : { place: view.place, fact: key, words });
  return [
    by && el("span", { class: "pe-quiet pe-fine" }, by),
    by && button({ class: "pe-link pe-fine pe-rigid", "aria-label": `Undo: ${words.join(" ")}, ${by}`, onclick: undo }, "Undo"),
    !fact.gone && button({ class: "pe-link pe-fine pe-rigid", "aria-label": `Not right? Correct: ${words.join(" ")}`, title: "Correct this fact, or retract it", onclick: correct }, "Not right?"),
  ];
}

// The words that are selected on the page are those that say it.
function addFactButton(view, page) {
  const { store } = view.act?.view ?? {};
  if (!page.document || !store?.bar || !store.live || page.newer || view.large) return null;
  let quote = "";
  const note = () => (quote = String(getSelection()).trim().slice(0, 2000));
  const { document, part } = page;
  const open = () => startCorrecting(store, { place: view.place, document, part, quote });
  return button({ class: "pe-link pe-line", onpointerdown: note, onclick: open, title: "Select the words that say it first" }, "Add a fact…");
}
