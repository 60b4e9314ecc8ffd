// The Documents tab: files come in on the left, above the list; one document stands beside it, page by page.
function askDocuments(store, text = store.documents.text) {
  const { documents } = store;
  if (text !== documents.text) documents.limit = CHUNK;
  documents.text = text;
  documents.n = crypto.getRandomValues(new Uint32Array(1))[0]; // each page of the kernel hears all replies
  store.send({ t: "documents?", n: documents.n, text: text || null, limit: documents.limit });
}

function takeDocuments(store, message) {
  if (message.n !== store.documents.n) return;
  const { documents: list, total, more } = message;
  Object.assign(store.documents, { list, total, more, heard: true });
  store.tell("documents");
}

function openDocument(store, iri, turned = null) {
  const { documents } = store;
  documents.open = iri;
  documents.key = [iri, turned].filter(Boolean).join(" ");
  store.send({ t: "document?", iri, key: documents.key, turned });
  store.tell("documents");
}

function takeDocument(store, message, buffers) {
  const { documents } = store;
  const { iri, key, about, used, uses } = message;
  if (key !== documents.key) return;
  const image = message.page.page && buffers[0] ? URL.createObjectURL(new Blob([buffers[0]], { type: "image/png" })) : null;
  if (documents.one?.image) URL.revokeObjectURL(documents.one.image);
  documents.one = { iri, key, about, used, uses, image, shown: { ...message.page, image } };
  store.tell("documents");
}

function takeSuggested(store, message) {
  const { iri, questions } = message;
  store.documents.suggested = { iri, questions };
  store.tell("documents");
}

function documentsView(store, act) {
  const files = el("ul", { class: "pe-files pe-plain pe-rigid", "aria-label": "Files that are read" });
  const rows = el("ul", { class: "pe-runs pe-shelf pe-share pe-plain", "aria-label": "Documents" });
  const shown = el("span", { class: "pe-quiet pe-line", role: "status" });
  const more = button({ class: "pe-link", onclick: () => moreDocuments(store) }, "Show more");
  const list = el(
    "aside",
    { class: "pe-shelves pe-stack pe-slim", "aria-label": "Documents" },
    el("div", { class: "pe-filters pe-stack pe-tinted pe-edged" }, chooser(store), searchDocuments(store)),
    files,
    rows,
    el("div", { class: "pe-foot pe-row pe-rigid pe-fine pe-nowrap" }, shown, grow(), more),
  );
  const one = oneDocument(store, act);
  const root = el("div", { class: "pe-documents" }, list, one.root, one.enlarged);
  takeDrops(root, store);
  const draw = () => {
    root.hidden = store.mode !== "documents";
    if (root.hidden) return;
    const { documents } = store;
    fill(files, fileRows(store));
    files.hidden = !files.childElementCount;
    fill(rows, documents.list.map((each) => documentRow(each, store)), !documents.list.length && !files.childElementCount && noDocuments(store));
    more.hidden = !documents.more;
    fill(shown, documents.total ? counted(documents.total, "document") : "");
    one.draw();
  };
  return { root, draw };
}

const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

function moreDocuments(store) {
  store.documents.limit += CHUNK;
  askDocuments(store);
}

function chooser(store) {
  const input = el("input", {
    type: "file",
    multiple: true,
    hidden: true,
    "aria-label": "Files to add",
    onchange: () => {
      sendFiles(store, [...input.files]);
      input.value = "";
    },
  });
  const choose = button({ class: "pe-btn go", onclick: () => input.click() }, "Add files…");
  return el("div", { class: "pe-row pe-slim pe-search" }, choose, input, el("span", { class: "pe-quiet pe-fine" }, "or drop files or folders here"));
}

function searchDocuments(store) {
  let late = null;
  const input = el("input", {
    type: "search",
    placeholder: "Titles and words",
    "aria-label": "Search titles and texts",
    oninput: () => {
      clearTimeout(late);
      late = setTimeout(() => askDocuments(store, input.value.trim()), 200);
    },
  });
  return input;
}

function takeDrops(root, store) {
  const over = (on) => root.classList.toggle("over", on);
  root.addEventListener("dragover", (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    event.stopPropagation(); // JupyterLab would put it into its own folder
    over(true);
  });
  root.addEventListener("dragleave", (event) => root.contains(event.relatedTarget) || over(false));
  root.addEventListener("drop", async (event) => {
    over(false);
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    event.stopPropagation();
    sendFiles(store, await droppedFiles(event.dataTransfer));
  });
}

const FILE_WORDS = { coming: "coming over", waiting: "waits its turn", reading: "", read: "added", refused: "not added" };

function fileRows(store) {
  const { files, sending } = store.documents;
  const known = new Set(files.map(({ file }) => file));
  const unsent = [...sending].filter(([id]) => !known.has(id));
  const waiting = unsent.map(([file, { name }]) => ({ file, name, state: "waiting", share: null, said: "", left: null }));
  return [...files, ...waiting].map((file) => fileRow(file, store));
}

function fileRow({ file, name, state, share, said, left }, store) {
  const busy = state === "coming" || state === "reading";
  const words = [FILE_WORDS[state], said].filter(Boolean).join(": ");
  const time = left === null ? "" : ` · ${left < 60 ? `${Math.ceil(left)} s` : `${Math.ceil(left / 60)} min`} left`;
  const close = state === "reading" ? null : signButton("×", `Take ${name} off this list`, () => dropFile(store, file), { title: null });
  return el(
    "li",
    { class: `pe-file pe-row pe-wrap pe-slim pe-fine ${state}` },
    el("b", { class: "pe-ell pe-share", dir: "auto", title: name }, name),
    close,
    busy && el("progress", { max: 1, value: share, "aria-label": name }),
    el("span", { class: "pe-quiet pe-anywhere" }, words + time),
  );
}

function noDocuments({ documents }) {
  if (!documents.heard) return null;
  const words = documents.text ? "No document has these words." : "No documents yet. Add files above, or drop them anywhere here.";
  return el("li", { class: "pe-none" }, words);
}

function documentRow(each, store) {
  const on = store.documents.open === each.iri;
  const facts = [each.kind, each.pages && counted(each.pages, "page"), counted(each.facts, "fact"), each.when && whenOf(each.when)];
  return el(
    "li",
    { class: on ? "pe-top on" : "pe-top" },
    button(
      { class: "pe-bare pe-share pe-slim", onclick: () => openDocument(store, each.iri), "aria-current": on ? "true" : null, title: each.source },
      el("b", { class: "pe-ell", dir: "auto" }, each.title),
      el("span", { class: "pe-about-run pe-row pe-wrap pe-slim pe-fine pe-quiet" }, facts.filter(Boolean).map((one) => el("span", {}, one))),
      each.found && el("span", { class: "pe-cut pe-fine", dir: "auto" }, each.found),
    ),
  );
}

// Its page is drawn by the source panel, which is given a store with nothing but this document.
function oneDocument(store, act) {
  const shelf = {
    ...{ looks: store.looks, run: "documents", nodes: new Map(), sources: new Map(), source: null },
    get live() {
      return store.live;
    },
    tell: () => panel.draw(),
    send: ({ node, turned }) => openDocument(store, node, turned),
  };
  const panel = sourceView(shelf, act, true);
  const about = el("div", { class: "pe-about-document pe-stack pe-rigid pe-edged" });
  const tries = el("div", { class: "pe-tried pe-row pe-wrap pe-slim pe-rigid pe-edged", role: "group", "aria-label": "Questions to ask about it" });
  const empty = nothing("No document open", "Pick one from the list to see its pages, with the facts that were found on them.");
  const root = el("section", { class: "pe-document pe-stack pe-slim", "aria-label": "Document" }, about, tries, panel.root, empty);
  let drawn = null;
  const draw = () => {
    const { one, open, suggested } = store.documents;
    about.hidden = tries.hidden = panel.root.hidden = !one || one.iri !== open;
    empty.hidden = !about.hidden;
    if (about.hidden) return;
    fill(tries, suggested?.iri === one.iri && suggested.questions.length && [
      el("span", { class: "pe-quiet pe-fine" }, "Ask it, for example:"),
      ...suggested.questions.map((question) => tryButton(question, one, store, act)),
    ]);
    tries.hidden = !tries.childElementCount;
    if (drawn === one) return;
    drawn = one;
    fill(about, aboutDocument(one, store, act));
    shelf.nodes.set(one.iri, { kind: "Document", passage: { text: "", title: one.about.title, where: "", note: "" } });
    shelf.sources.clear();
    shelf.sources.set(one.key, one.shown);
    shelf.source = { node: one.iri, key: one.key, said: null };
    panel.draw();
  };
  return { root, enlarged: panel.enlarged.root, draw };
}

// A question is asked about this document alone.
function tryButton(question, { iri, about }, store, act) {
  const ask = () => {
    changeBar(store, { question, within: { [iri]: about.title } });
    act.ask(question);
  };
  return button({ class: "pe-btn small", onclick: ask }, question);
}

function aboutDocument({ about, used, uses }, store, act) {
  const told = [about.kind, about.pages && counted(about.pages, "page"), counted(about.facts, "fact"), about.when && `added ${whenOf(about.when)}`];
  const run = ({ iri, question, when }) =>
    el("li", {}, button({ class: "pe-link pe-ell", onclick: () => act.past(iri), title: question }, question), " ", el("span", { class: "pe-quiet" }, whenOf(when)));
  return [
    el(
      "div",
      { class: "pe-row pe-slim pe-search" },
      el("h3", { class: "pe-ell pe-share", title: about.title, dir: "auto" }, about.title),
      store.bar && button({ class: "pe-btn small", onclick: () => changeBar(store, { within: { [about.iri]: about.title } }) }, "Ask about it"),
    ),
    el("span", { class: "pe-quiet pe-fine pe-anywhere" }, [...told.filter(Boolean), about.source].join(" · ")),
    uses > 0 &&
      el(
        "details",
        { class: "pe-fine" },
        el("summary", {}, `Used in ${counted(uses, "answer")}`),
        el("ul", { class: "pe-plain pe-used" }, used.map(run), uses > used.length && el("li", { class: "pe-quiet" }, `and ${uses - used.length} more`)),
      ),
  ];
}
