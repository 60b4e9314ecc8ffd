// Files that were dropped or chosen: they go to Python one after the other, in pieces, each once the last has come.
const PIECE = 1 << 20; // bytes, as documents/uploads.py takes them

const makeDocuments = () => ({
  // as Python told
  list: [],
  total: 0,
  more: false,
  files: [],
  removed: [],
  one: null,
  gone: null,
  corrections: null, // with how many more there are
  // as it was asked, and whether there was a reply
  n: null,
  text: "",
  limit: CHUNK,
  heard: false,
  // as it is on view
  sending: new Map(),
  open: null,
  turned: null,
  key: null,
  removing: null,
  choose: null,
  unfolded: new Set(),
  entity: null, // on show in place of the page
  wanted: null, // or asked for
  listed: false, // as a list
  corrects: false, // whether the corrections are listed
  folded: new Set(), // files that were read and seen so
  passwords: new Map(), // what is typed for those that are locked
});

// A file may be a new version of the document that it `replaces`.
function sendFiles(store, files, replaces = null) {
  const { sending } = store.documents;
  const idle = !sending.size;
  for (const file of files) sending.set(crypto.getRandomValues(new Uint32Array(2)).join("-"), Object.assign(file, { replaces }));
  if (idle) sendNext(store);
  store.tell("documents");
}

function sendNext(store) {
  const [first] = store.documents.sending.keys();
  if (first) sendPiece(store, first, 0);
}

async function sendPiece(store, id, at) {
  const file = store.documents.sending.get(id);
  if (!file) return;
  const { replaces } = file;
  const name = file.path || file.webkitRelativePath || file.name;
  try {
    const bytes = await file.slice(at, at + PIECE).arrayBuffer();
    store.send({ t: "piece", file: id, name, size: file.size, at, replaces }, [bytes]);
  } catch (error) {
    store.send({ t: "drop", file: id }); // it was moved or changed meanwhile
    store.tell("trouble", { text: `${name} can't be read any more: ${error.message}`, details: null, closed: false });
    endSending(store, id);
  }
}

function takeGot(store, got) {
  const file = store.documents.sending.get(got.file);
  if (!file) return;
  if (got.bytes < file.size) sendPiece(store, got.file, got.bytes);
  else endSending(store, got.file);
}

function endSending(store, id) {
  store.documents.sending.delete(id);
  sendNext(store);
}

function takeFiles(store, message) {
  const { documents } = store;
  const { files, removed, fresh } = message;
  const before = new Map(documents.files.map(({ file, state }) => [file, state]));
  Object.assign(documents, { files, removed });
  const locked = new Set(files.filter(({ state }) => state === "locked").map(({ file }) => file));
  for (const file of documents.passwords.keys()) if (!locked.has(file)) documents.passwords.delete(file);
  for (const { file, state } of files) if (state === "refused" && documents.sending.has(file)) endSending(store, file);
  const isNew = ({ file, state, replaces }) => state === "read" && before.get(file) !== state && Boolean(replaces);
  const newer = files.find((one) => isNew(one) && one.replaces === documents.open);
  if (newer?.document) documents.open = newer.document;
  if (fresh && documents.removing?.goes) documents.removing = null;
  if (fresh) store.mentions.clear();
  if (fresh === "changed") {
    dropSources(store); // pages of a run that were fetched before may show what is no longer here
    if (store.source) openSource(store, store.source.node, store.source);
  }
  if (fresh && store.mode === "documents") askAnew(store);
  store.tell("documents");
}

function dropFile(store, id) {
  store.documents.sending.delete(id);
  store.send({ t: "drop", file: id });
  sendNext(store);
  store.tell("documents");
}

// What was dropped, folders with all that is in them; each file is told its way below what was dropped.
async function droppedFiles({ items, files }) {
  const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...files];
  return (await Promise.all(entries.map(filesBelow))).flat();
}

async function filesBelow(entry) {
  if (entry.isFile) {
    const file = await new Promise((done, failed) => entry.file(done, failed));
    return [Object.assign(file, { path: entry.fullPath.replace(/^\//, "") })];
  }
  const reader = entry.createReader();
  const found = [];
  for (let some = null; !some || some.length; ) {
    some = await new Promise((done, failed) => reader.readEntries(done, failed));
    found.push(...some.filter(({ name }) => !name.startsWith(".")));
  }
  return (await Promise.all(found.map(filesBelow))).flat();
}

// What is written beside each file that comes or is read, and beside each document that was removed.
const FILE_WORDS = {
  coming: "coming over",
  waiting: "queued",
  asks: "",
  reading: "",
  locked: "",
  read: "added",
  refused: "not added",
};

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
  const words = joinWords([!isAgain && FILE_WORDS[state], said], ": ");
  const time = left === null ? "" : ` · ${left < 60 ? `${Math.ceil(left)} s` : `${Math.ceil(left / 60)} min`} left`;
  const word = ["coming", "waiting", "locked"].includes(state) ? "Cancel" : "Hide";
  const open = () => linkButton("Open", () => openDocument(store, one.document), { "aria-label": `Open ${name}` });
  return el(
    "li",
    `pe-file pe-row pe-wrap pe-slim pe-fine ${state}`,
    el("b", { class: "pe-ell pe-share", dir: "auto", title: name }, name),
    state === "read" && one.document && open(),
    state !== "reading" && hideRow(word, name, () => dropFile(store, file)),
    busy && el("progress", { max: 1, value: share, "aria-label": name }),
    el("span", "pe-quiet pe-anywhere", words + time),
    state === "asks" && settleButtons(store, file),
    state === "locked" && passwordForm(store, one),
  );
}

// The row goes, and nothing else: in words, as a sign would be taken for one that removes the document.
const hideRow = (word, name, onclick, title = null) => linkButton(word, onclick, { "aria-label": `${word} ${name}`, title });

// What is typed stays when the rows are drawn anew, and goes with the file's being read.
function passwordForm(store, { file, name }) {
  const { passwords } = store.documents;
  if (passwords.has(file)) return passwords.get(file);
  const input = el("input", { type: "password", autocomplete: "off", "aria-label": `Password of ${name}`, placeholder: "Password" });
  const open = () => {
    if (!input.value) return;
    store.send({ t: "unlock", file, password: input.value });
    input.value = "";
  };
  const look = "pe-row pe-slim pe-gap-m pe-settle pe-unlock";
  const props = { class: look, "aria-label": `Open ${name}`, onkeydown: onEnter(open) };
  passwords.set(file, el("form", props, input, smallButton("Open it", open, { class: "go" })));
  return passwords.get(file);
}

// A file with the name of a document that is here: which of both it is to be, only its owner knows.
function settleButtons(store, file, all = "") {
  const settle = (replace) => store.send({ t: "settle", file, replace });
  const tip = "The one that is here becomes its earlier version, and answers no more";
  const replace = smallButton(`Replace ${all || "it"}`, () => settle(true), { title: tip });
  const keep = smallButton(`Keep ${all ? "both of all" : "both"}`, () => settle(false));
  return el("span", "pe-row pe-wrap pe-slim pe-gap-m pe-settle", replace, keep);
}

function settleAll(number, store) {
  const words = el("b", "pe-share", `${number} files have the names of documents that are here`);
  return el("li", "pe-file pe-row pe-wrap pe-slim pe-fine asks", words, settleButtons(store, null, "all"));
}

function readBefore(files, store) {
  const clear = () => files.forEach(({ file }) => dropFile(store, file));
  const lines = el("ul", "pe-plain", files.map((file) => fileRow(file, store)));
  const words = `${counted(files.length, "file")} ${files.length === 1 ? "was" : "were"} read`;
  const fold = folding(store.documents.unfolded, "read", words, lines);
  return el("li", "pe-file pe-row pe-slim pe-fine read pe-read-before", fold, linkButton("Clear", clear));
}

function removedRow({ iri, title, lost }, store) {
  const words = joinWords(["removed", lost.length && `undo does not bring back ${lost.join(", ")}`], "; ");
  return el(
    "li",
    "pe-file pe-row pe-wrap pe-slim pe-fine removed",
    el("b", { class: "pe-cut pe-anywhere pe-share", dir: "auto", title }, title),
    undoRemoval(store, iri, title),
    hideRow("Hide", title, () => dropFile(store, iri), "It can't be brought back then"),
    el("span", "pe-quiet pe-anywhere", words),
  );
}

const undoRemoval = (store, iri, title, words = "Undo", make = linkButton) =>
  make(words, () => store.send({ t: "restore", iri }), { "aria-label": `Undo: bring back ${title}` });
