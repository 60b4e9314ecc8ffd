// The Documents tab: files come in on the left, above the list; one document stands beside it, page by page.
function askDocuments(store, text = store.documents.text) {
  const { documents } = store;
  if (text !== documents.text) Object.assign(documents, { limit: CHUNK, corrects: false });
  documents.text = text;
  documents.n = ownSign();
  store.send({ t: "documents?", n: documents.n, text: text || null, limit: documents.limit });
}

function takeDocuments(store, message) {
  if (message.n !== store.documents.n) return takeMentions(store, message);
  const { documents: list, total, more, shared, partly, being_read } = message;
  Object.assign(store.documents, { list, total, more, shared, partly, beingRead: being_read, heard: true });
  store.tell("documents");
}

// Files that were read are on the list below: once something else is looked at they fold to one line.
function foldRead({ documents }) {
  for (const { file, state } of documents.files) if (state === "read") documents.folded.add(file);
}

// With words that it was found by it opens where they stand first.
function openDocument(store, iri, turned = null, sought = "") {
  const { documents } = store;
  if (documents.open !== iri) {
    foldRead(store);
    store.tell("settled");
  }
  Object.assign(documents, { open: iri, turned, sought, wanted: documents.open === iri ? documents.wanted : null });
  documents.key = joinWords([iri, turned, sought], " ");
  store.send({ t: "document?", iri, key: documents.key, turned, text: sought });
  store.tell("documents");
}

// What is open and on the list may have changed.
function askAnew(store) {
  const { open, turned, sought, wanted, corrects } = store.documents;
  askDocuments(store);
  if (corrects) listCorrections(store, true);
  if (wanted) entityAnew(store);
  if (open) openDocument(store, open, turned, sought);
}

function takeDocument(store, message, buffers) {
  const { documents } = store;
  if (message.key !== documents.key) return;
  const image = pictureIn(message.page.page, buffers);
  if (documents.one?.image) URL.revokeObjectURL(documents.one.image);
  documents.one = { ...message, image, shown: { ...message.page, sought: message.sought, image } };
  documents.gone = null;
  store.tell("documents");
}

function takeSuggested(store, message) {
  if (message.iri !== store.documents.open) return; // another window asked
  store.documents.suggested = message;
  store.tell("documents");
}

function documentsView(store, act) {
  const files = el("ul", { class: "pe-files pe-edged pe-plain pe-rigid", "aria-label": "Files that are read" });
  const coming = el("div", { class: "pe-edged pe-quiet pe-fine pe-rigid", role: "status" });
  const rows = el("ul", { class: "pe-runs pe-shelf pe-share pe-plain", "aria-label": "Documents" });
  const shown = el("span", { class: "pe-quiet pe-slim", role: "status" });
  const input = fileField("Files to add", (chosen) => sendFiles(store, chosen), true);
  const choose = button({ class: "pe-btn go", onclick: () => input.click() }, "Add files…");
  const hint = el("span", "pe-quiet pe-fine", "or drop files or folders here");
  const search = searchField("Search titles and words", "Search titles and texts", (text) => askDocuments(store, text));
  const ways = el("div", "pe-row pe-slim pe-search pe-gap-l", choose, input, hint);
  const more = moreLink(store.documents, () => askDocuments(store));
  const turn = () => listCorrections(store, !store.documents.corrects);
  const corrections = linkButton("", turn, { class: "pe-rigid pe-nowrap", title: CORRECTIONS });
  const corrected = el("ul", { class: "pe-runs pe-share pe-plain", "aria-label": "Corrections" });
  const list = el(
    "aside",
    { class: "pe-shelves pe-stack pe-slim", "aria-label": "Documents" },
    el("div", "pe-filters pe-stack pe-gap-m pe-tinted pe-edged", ways, search),
    files,
    coming,
    rows,
    corrected,
    el("div", "pe-foot pe-row pe-rigid pe-fine", shown, grow(), more, corrections),
  );
  const one = oneDocument(store, act);
  const root = el("div", "pe-documents", list, one.root, one.enlarged);
  takeDrops(root, store);
  const draw = () => {
    root.hidden = store.mode !== "documents";
    if (root.hidden) return;
    const { documents } = store;
    fill(files, fileRows(store));
    files.hidden = !files.childElementCount;
    fill(coming, documents.beingRead);
    coming.hidden = !documents.beingRead;
    const none = !documents.list.length && (documents.text || !files.childElementCount) && noDocuments(store);
    fill(rows, documents.list.map((each) => documentRow(each, store)), none);
    const { corrects } = documents;
    fill(corrected, corrects && correctionRows(store));
    for (const part of [rows, shown]) part.hidden = corrects;
    corrected.hidden = !corrects;
    fill(corrections, corrects ? "‹ Documents" : "Corrections");
    more.hidden = !documents.more || corrects;
    if (!search.late) put(search, documents.text); // what is being typed is asked for soon
    shown.title = documents.shared ? "The facts of each document count all that it states; in all, each counts once" : "";
    fill(shown, inAll(documents));
    const isEmpty = documents.heard && !documents.total && !documents.text;
    for (const part of [search, shown.parentElement]) part.hidden = isEmpty;
    one.draw();
  };
  return { root, draw };
}

function inAll({ total, partly, shared }) {
  if (!total) return "";
  const found = `${counted(total, "document")}${partly ? ", with some of the words" : ""}`;
  return joinWords([found, shared && `${counted(shared, "fact")} in more than one`]);
}

function takeDrops(root, store) {
  const over = (on) => root.classList.toggle("over", on);
  root.addEventListener("dragover", (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    claim(event); // JupyterLab would put it into its own folder
    over(true);
  });
  root.addEventListener("dragleave", (event) => root.contains(event.relatedTarget) || over(false));
  root.addEventListener("drop", async (event) => {
    over(false);
    if (!event.dataTransfer.types.includes("Files")) return;
    claim(event);
    sendFiles(store, await droppedFiles(event.dataTransfer));
  });
}

function noDocuments({ documents }) {
  if (!documents.heard) return null;
  const words = documents.text ? "No document has these words." : "No documents yet. Add files above, or drop them anywhere here.";
  return el("li", "pe-none", words);
}

function documentRow(each, store) {
  const on = store.documents.open === each.iri;
  const facts = [
    each.file || each.kind,
    each.pages && counted(each.pages, "page"),
    counted(each.facts, "fact"),
    each.when && `${each.kind === "Store" ? "read " : ""}${whenOf(each.when)}`,
  ];
  const about = facts.filter(Boolean).map((one) => el("span", {}, one));
  const times = each.times > 0 && el("b", {}, counted(each.times, "place"), ": ");
  const props = {
    class: "pe-bare pe-share pe-slim",
    onclick: () => openDocument(store, each.iri, null, each.times ? store.documents.text : ""),
    "aria-current": on ? "true" : null,
    title: joinWords([each.title, each.source], "\n"),
  };
  const line = button(
    props,
    el("b", { class: "pe-cut pe-anywhere", dir: "auto" }, each.title),
    el("span", "pe-about-run pe-row pe-wrap pe-slim pe-fine pe-quiet", about),
    each.found && el("span", { class: "pe-fine", dir: "auto" }, times, each.found),
  );
  return el("li", on ? "pe-top on" : "pe-top", line);
}
