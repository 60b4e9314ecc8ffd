// Files that were dropped or chosen: they go to Python one after the other, in pieces, each once the last has come.
const PIECE = 1 << 20; // bytes, as documents/uploads.py takes them

const makeDocuments = () => ({
  ...{ list: [], total: 0, more: false, files: [], removed: [], one: null, gone: null }, // as Python told
  ...{ n: null, text: "", limit: CHUNK, heard: false }, // as it was asked, and whether there was a reply
  ...{ sending: new Map(), open: null, turned: null, key: null, removing: null, choose: null, unfolded: new Set() },
  ...{ entity: null, wanted: null, listed: false }, // that is on show in place of the page, or was asked for; as a list
  ...{ folded: new Set(), passwords: new Map() }, // files that were read and seen so; what is typed for those that are locked
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
  const newer = files.find(({ file, state, replaces }) => state === "read" && before.get(file) !== state && replaces && replaces === documents.open);
  if (newer?.document) documents.open = newer.document;
  if (fresh && documents.removing?.goes) documents.removing = null;
  if (fresh) store.mentions.clear();
  if (fresh === "changed") sourcesAnew(store);
  if (fresh && store.mode === "documents") askAnew(store);
  store.tell("documents");
}

// Pages of a run that were fetched before may show what is no longer here.
function sourcesAnew(store) {
  dropSources(store);
  if (store.source) openSource(store, store.source.node, store.source);
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
