// The document that is open. Its page is drawn by the source panel, which is given a store with nothing but this document.
function oneDocument(store, act) {
  const shelf = {
    ...{ looks: store.looks, run: "documents", nodes: new Map(), sources: new Map(), source: null },
    get live() {
      return store.live;
    },
    tell() {
      if (!shelf.sources.has(shelf.source.key)) shelf.source = last; // until the page is there
      panel.draw();
    },
    send: ({ node, turned }) => openDocument(store, node, turned, store.documents.sought),
  };
  let last = null; // the page on show
  const panel = sourceView(shelf, act, true);
  const about = el("div", { class: "pe-about-document pe-stack pe-rigid pe-edged" });
  const removing = el("div", { class: "pe-rigid" });
  const tries = el("div", { class: "pe-tried pe-row pe-wrap pe-slim pe-rigid pe-edged", role: "group", "aria-label": "Questions to ask about it" });
  const entity = entityView(store, act);
  const empty = el("div", { class: "pe-nothing pe-row pe-stack pe-quiet" });
  const root = el("section", { class: "pe-document pe-stack pe-slim", "aria-label": "Document" }, newerDrop(store), about, removing, tries, panel.root, entity.root, empty);
  const anew = changes();
  const draw = () => {
    const { one, open, suggested, gone, removed, heard, list, wanted } = store.documents;
    const shows = Boolean(one) && one.iri === open;
    for (const part of [about, removing]) part.hidden = !shows;
    panel.root.hidden = !shows || Boolean(store.documents.wanted);
    entity.draw();
    empty.hidden = shows || Boolean(store.documents.wanted);
    tries.hidden = !(shows && suggested?.iri === one.iri && suggested.questions.length && !one.newer && !store.documents.removing);
    if (!shows) {
      const { text } = store.documents;
      if (anew("empty", gone, removed, heard, open, list.length > 0, text, store.bar?.examples))
        fill(empty, goneView(store) ?? (open && !wanted ? opensView(store) : heard && !open && (list.length > 0 ? noneOpen(store, act) : !text && noneYet())));
      return;
    }
    if (!tries.hidden && anew("tries", suggested))
      fill(
        tries,
        el("span", { class: "pe-quiet pe-fine" }, "Ask about it:"),
        suggested.questions.map((question) => tryButton(question, one, store, act)),
      );
    if (anew("removing", store.documents.removing)) fill(removing, sureToRemove(store, act));
    if (anew("about", one, store.documents.removing)) fill(about, aboutDocument(one, store, act));
    if (!anew("page", one, store.correcting)) return;
    shelf.nodes.set(one.iri, { kind: "Document", passage: { text: "", title: one.about.title, where: "", note: "" } });
    shelf.sources.clear();
    shelf.sources.set(one.key, one.shown);
    last = shelf.source = { node: one.iri, key: one.key, said: null };
    panel.draw();
    chooseFact(panel, one, store);
  };
  return { root, enlarged: panel.enlarged.root, draw };
}

// A fact that was asked for is marked on its page.
function chooseFact(panel, one, store) {
  const at = one.shown.facts?.items.findIndex(({ key }) => key === store.documents.choose) ?? -1;
  store.documents.choose = null;
  if (at < 0) return;
  Object.assign(panel, { chosen: at, listing: true });
  panel.draw();
}

const opensView = ({ documents: { open, list } }) => el("span", { role: "status" }, `Opening ${list.find(({ iri }) => iri === open)?.title ?? "it"} …`);

// Before one is opened, all of them can be asked.
function noneOpen(store, act) {
  const ask = (question) => {
    changeBar(store, { question, within: {} });
    act.ask(question);
  };
  const examples = store.bar?.examples ?? [];
  const tries = examples.slice(0, 3).map((question) => button({ class: "pe-btn", onclick: () => ask(question) }, question));
  return [
    store.bar && el("b", {}, "Ask your documents: type a question above"),
    tries.length > 0 && el("div", { class: "pe-shelf-ask pe-stack", role: "group", "aria-label": "Questions to ask" }, el("span", { class: "pe-fine" }, "or try one of these:"), tries),
    el("span", { class: "pe-fine" }, "Pick a document from the list to see its pages, with the facts that were found on them."),
  ];
}

const noneYet = () => [
  el("b", {}, "Drop your files here"),
  el("span", {}, "PDF, Word, Excel, PowerPoint, EPUB, web pages, e-mails, Markdown, text and CSV."),
  el("span", {}, "They are read here, on this machine. Then ask."),
];

// Says of a part whether what it is drawn from is another than the last time.
function changes() {
  const before = new Map();
  return (part, ...from) => {
    const last = before.get(part);
    before.set(part, from);
    return !last || from.some((one, at) => one !== last[at]);
  };
}

// A question is asked about this document alone.
function tryButton(question, { iri, about }, store, act) {
  const ask = () => {
    changeBar(store, { question, within: { [iri]: about.title } });
    act.ask(question);
  };
  return button({ class: "pe-btn small", title: question, onclick: ask }, question);
}

function aboutDocument(one, store, act) {
  const { about, used, uses, looked, newer } = one;
  const told = [about.kind, about.pages && counted(about.pages, "page"), !newer && counted(about.facts, "fact"), about.when && `${about.kind === "Store" ? "read" : "added"} ${whenOf(about.when)}`];
  const askAbout = () => {
    changeBar(store, { within: { [about.iri]: about.title } });
    act.view.root.querySelector(".pe-question input").focus({ preventScroll: true });
  };
  return [
    el(
      "div",
      { class: "pe-row pe-slim pe-search pe-wrap" },
      el("h3", { class: "pe-two-lines pe-anywhere pe-document-title", title: about.title, dir: "auto" }, about.title),
      el(
        "span",
        { class: "pe-inline pe-wrap pe-slim pe-document-ways" },
        store.bar && !newer && button({ class: "pe-btn small go", onclick: askAbout }, "Ask about it"),
        !newer && whatIfDocument(store, about),
        !newer && (about.kind === "Store" ? readAgainButton(store, about) : replaceButton(store, about)),
        removeButton(store, about),
      ),
    ),
    el("span", { class: "pe-quiet pe-fine pe-anywhere", title: about.source }, [...told.filter(Boolean), about.file || about.source].join(" · ")),
    newer && newerLine(newer, () => openDocument(store, newer.iri)),
    versionList(one, store),
    uses > 0
      ? folding(store.documents.unfolded, `used ${one.iri}`, `Quoted in ${counted(uses, "answer")}`, usedList(used, uses, act), onlyLooked(looked, uses))
      : onlyLooked(looked, uses),
  ];
}
