// What is written beside each file that comes or is read, and beside each document that was removed.
const FILE_WORDS = { coming: "coming over", waiting: "waits its turn", asks: "", reading: "", locked: "", read: "added", refused: "not added" };

function fileRows(store) {
  const { files, sending, removed, folded } = store.documents;
  const isFolded = ({ file, state, plain }) => state === "read" && (plain || folded.has(file)); // it stands in the list below
  const before = files.filter(isFolded);
  const known = new Set(files.map(({ file }) => file));
  const unsent = [...sending].filter(([id]) => !known.has(id));
  const waiting = unsent.map(([file, { name }]) => ({ file, name, state: "waiting", share: null, said: "", left: null, plain: false }));
  const asking = files.filter(({ state }) => state === "asks");
  return [
    ...removed.map((one) => removedRow(one, store)),
    asking.length > 1 && settleAll(asking.length, store),
    ...[...files, ...waiting].filter((file) => !isFolded(file)).map((file) => fileRow(file, store)),
    before.length > 0 && readBefore(before, store),
  ];
}

function fileRow(one, store) {
  const { file, name, state, share, said, left, replaces } = one;
  const busy = state === "coming" || state === "reading";
  const isAgain = state === "read" && replaces === file; // a store that is here already
  const words = [!isAgain && FILE_WORDS[state], said].filter(Boolean).join(": ");
  const time = left === null ? "" : ` · ${left < 60 ? `${Math.ceil(left)} s` : `${Math.ceil(left / 60)} min`} left`;
  const close = state !== "reading" && hideRow(["coming", "waiting", "locked"].includes(state) ? "Cancel" : "Hide", name, () => dropFile(store, file));
  const open = state === "read" && one.document && button({ class: "pe-link", "aria-label": `Open ${name}`, onclick: () => openDocument(store, one.document) }, "Open");
  return el(
    "li",
    { class: `pe-file pe-row pe-wrap pe-slim pe-fine ${state}` },
    el("b", { class: "pe-ell pe-share", dir: "auto", title: name }, name),
    open,
    close,
    busy && el("progress", { max: 1, value: share, "aria-label": name }),
    el("span", { class: "pe-quiet pe-anywhere" }, words + time),
    state === "asks" && settleButtons(store, file),
    state === "locked" && passwordForm(store, one),
  );
}

// The row goes, and nothing else: in words, as a sign would be taken for one that removes the document.
const hideRow = (word, name, onclick, title = null) => button({ class: "pe-link", "aria-label": `${word} ${name}`, title, onclick }, word);

// What is typed stays when the rows are drawn anew, and goes with the file's being read.
function passwordForm(store, { file, name }) {
  const { passwords } = store.documents;
  const made = passwords.get(file) ?? passwordField(store, file, name);
  passwords.set(file, made);
  return made;
}

function passwordField(store, file, name) {
  const input = el("input", { type: "password", autocomplete: "off", "aria-label": `Password of ${name}`, placeholder: "Password" });
  const open = () => {
    if (!input.value) return;
    store.send({ t: "unlock", file, password: input.value });
    input.value = "";
  };
  return el(
    "form",
    { class: "pe-row pe-slim pe-settle pe-unlock", "aria-label": `Open ${name}`, onkeydown: sendOnEnter(open) },
    input,
    button({ class: "pe-btn small go", onclick: open }, "Open it"),
  );
}

// A file with the name of a document that is here: which of both it is to be, only its owner knows.
function settleButtons(store, file, all = "") {
  const settle = (replace) => store.send({ t: "settle", file, replace });
  const tip = "The one that is here becomes its earlier version, and answers no more";
  return el(
    "span",
    { class: "pe-row pe-wrap pe-slim pe-settle" },
    button({ class: "pe-btn small", title: tip, onclick: () => settle(true) }, `Replace ${all || "it"}`),
    button({ class: "pe-btn small", onclick: () => settle(false) }, `Keep ${all ? "both of all" : "both"}`),
  );
}

function settleAll(number, store) {
  return el(
    "li",
    { class: "pe-file pe-row pe-wrap pe-slim pe-fine asks" },
    el("b", { class: "pe-share" }, `${number} files have the names of documents that are here`),
    settleButtons(store, null, "all"),
  );
}

function readBefore(files, store) {
  const clear = () => files.forEach(({ file }) => dropFile(store, file));
  const lines = el("ul", { class: "pe-plain" }, files.map((file) => fileRow(file, store)));
  return el(
    "li",
    { class: "pe-file pe-row pe-slim pe-fine read pe-read-before" },
    folding(store.documents.unfolded, "read", `${counted(files.length, "file")} ${files.length === 1 ? "was" : "were"} read`, lines),
    button({ class: "pe-link", onclick: clear }, "Clear"),
  );
}

function removedRow({ iri, title, lost }, store) {
  return el(
    "li",
    { class: "pe-file pe-row pe-wrap pe-slim pe-fine removed" },
    el("b", { class: "pe-two-lines pe-anywhere pe-share", dir: "auto", title }, title),
    undoRemoval(store, iri, title),
    hideRow("Hide", title, () => dropFile(store, iri), "It can't be brought back then"),
    el("span", { class: "pe-quiet pe-anywhere" }, ["removed", lost.length && `undo does not bring back ${lost.join(", ")}`].filter(Boolean).join("; ")),
  );
}

const undoRemoval = (store, iri, title, words = "Undo") =>
  button({ class: words === "Undo" ? "pe-link" : "pe-btn small", "aria-label": `Undo: bring back ${title}`, onclick: () => store.send({ t: "restore", iri }) }, words);
