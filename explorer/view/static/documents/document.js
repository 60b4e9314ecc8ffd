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

// Versions of a document: a file that takes its place, and what is said of one whose place was taken.
function replaceButton(store, { iri, title }) {
  const input = el("input", {
    type: "file",
    hidden: true,
    "aria-label": `New version of ${title}`,
    onchange: () => {
      sendFiles(store, [...input.files], iri);
      input.value = "";
    },
  });
  const tip = "Choose a newer file for it; what it answered before still shows the old pages";
  return [button({ class: "pe-btn small", title: tip, onclick: () => input.click() }, "Replace…"), input];
}

// A store that others fill is asked for all that it holds by now.
function readAgainButton(store, { iri, title }) {
  const again = () => store.send({ t: "read again", iri });
  const isRead = store.documents.files.some(({ file, state }) => file === iri && ["waiting", "reading"].includes(state));
  const tip = "Ask the store for all that it holds now; what changed becomes a newer version";
  return button({ class: "pe-btn small", title: tip, "aria-label": `Read ${title} again`, disabled: isRead, onclick: again }, "Read again");
}

const takesFiles = ({ one, open }) => Boolean(one) && one.iri === open && !one.newer && one.about.kind !== "Store";

// While a file is dragged over the tab, a place to drop it as a new version of the document that is open.
function newerDrop(store) {
  const words = el("span", { class: "pe-ell" });
  const root = el("div", { class: "pe-newer-drop pe-row pe-rigid" }, words);
  const aim = (on) => root.classList.toggle("over", on);
  root.addEventListener("dragenter", () => aim(true));
  root.addEventListener("dragleave", () => aim(false));
  root.addEventListener("drop", async (event) => {
    const { one } = store.documents;
    aim(false);
    if (!takesFiles(store.documents)) return; // then it is added, as anywhere else
    event.preventDefault();
    event.stopPropagation();
    root.closest(".pe-documents").classList.remove("over");
    sendFiles(store, (await droppedFiles(event.dataTransfer)).slice(0, 1), one.iri);
  });
  store.listen((what) => {
    const { one } = store.documents;
    if (what !== "documents") return;
    root.hidden = !takesFiles(store.documents);
    if (!root.hidden) fill(words, `Drop here for a new version of “${one.about.title}”; anywhere else to add it`);
  });
  return root;
}

function newerLine({ when }, open) {
  return el(
    "div",
    { class: "pe-older pe-row pe-wrap pe-slim pe-fine", role: "note" },
    el("span", { class: "pe-share pe-slim" }, `A newer version is there${when ? ` (${whenOf(when)})` : ""}: questions are answered from that one.`),
    button({ class: "pe-btn small", onclick: open }, "Open the newer one"),
  );
}

function versionList({ iri, versions }, store) {
  if (versions.length < 2) return null;
  const line = ({ iri: each, when }, at) => {
    const words = [at === versions.length - 1 ? "the newest" : "older", when && `added ${whenOf(when)}`].filter(Boolean).join(", ");
    return el("li", {}, each === iri ? el("b", {}, `${words} (open)`) : button({ class: "pe-link", onclick: () => openDocument(store, each) }, words));
  };
  const lines = el("ul", { class: "pe-plain pe-used" }, versions.map(line).reverse());
  return folding(store.documents.unfolded, `versions ${iri}`, counted(versions.length, "version"), lines);
}

// Removing a document: what that changes is said before it is done.
function takeImpact(store, message) {
  if (store.documents.removing?.iri !== message.iri) return;
  store.documents.removing = { ...store.documents.removing, impact: message };
  store.tell("documents");
}

function takeGone(store, message) {
  const { iri, title, when } = message;
  if (iri !== store.documents.open) return;
  Object.assign(store.documents, { one: null, gone: { iri, title, when } });
  store.tell("documents");
}

function removeButton(store, { iri, title }) {
  const on = store.documents.removing?.iri === iri;
  const onclick = () => {
    store.documents.removing = on ? null : { iri, title, impact: null, words: false };
    if (!on) store.send({ t: "impact?", iri });
    store.tell("documents");
  };
  return button({ class: on ? "pe-btn small on" : "pe-btn small", "aria-expanded": String(on), onclick }, "Remove…");
}

function sureToRemove(store, act) {
  const { removing, open } = store.documents;
  if (!removing || removing.iri !== open) return null;
  const { iri, title, impact } = removing;
  if (removing.goes) return el("div", { class: "pe-removing pe-edged pe-quiet pe-anywhere", role: "status" }, `Removing “${title}” …`);
  const end = (goes) => {
    store.documents.removing = goes ? { ...removing, goes } : null; // until Python says what is here now
    if (goes) store.send({ t: "remove", iri, words: removing.words });
    store.tell("documents");
  };
  return el(
    "div",
    { class: "pe-removing pe-stack pe-rigid pe-edged pe-scroll", role: "group", "aria-label": "What removing it changes" },
    el("b", { class: "pe-anywhere" }, `Remove “${title}”?`),
    impact ? impactLines(impact, removing, act) : el("span", { class: "pe-quiet", role: "status" }, "Looking up what that changes …"),
    el(
      "div",
      { class: "pe-row pe-slim" },
      button({ class: "pe-btn small", disabled: !impact, onclick: () => end(true) }, "Remove it"),
      button({ class: "pe-btn small", onclick: () => end(false) }, "Keep it"),
    ),
  );
}

function impactLines(impact, removing, act) {
  const { facts, kept, named, versions, used, uses, looked, texts } = impact;
  const go = facts === 1 ? "goes" : "go";
  const stay = kept ? `; ${kept === 1 ? "one stays" : `${kept.toLocaleString("en")} stay`}, as other documents say the same` : "";
  const more = facts - named.length;
  return [
    facts || kept
      ? el("details", {}, el("summary", {}, `${counted(facts, "fact")} ${go} with it${stay}.`), el("ul", { class: "pe-gone-facts" }, named.map((one) => el("li", { dir: "auto" }, one)), more > 0 && el("li", {}, `and ${more.toLocaleString("en")} more`)))
      : el("span", {}, "No fact goes with it."),
    uses
      ? el("details", { open: uses <= 3 }, el("summary", {}, `${counted(uses, "answer")} ${uses === 1 ? "quotes it. It stays" : "quote it. They stay"}; in place of the page ${uses === 1 ? "it says" : "they say"} that the source was removed.`), usedList(used, uses, act))
      : el("span", {}, "No answer quotes it."),
    onlyLooked(looked, uses),
    versions > 0 && el("span", {}, `${versions === 1 ? "The version before it goes" : `The ${versions} versions before it go`} too.`),
    texts > 0 &&
      el(
        "label",
        { class: "pe-top pe-slim" },
        el("input", { type: "checkbox", checked: removing.words, onchange: ({ target }) => (removing.words = target.checked) }),
        el("span", {}, `Also remove the words of it that answers quote (${counted(texts, "text")} of past answers). These do not come back with Undo.`),
      ),
    el("span", { class: "pe-quiet" }, "Undo brings all of it back as it was, as long as this app is open."),
  ];
}

function usedList(used, uses, act) {
  const run = ({ iri, question, when }) =>
    el("li", {}, button({ class: "pe-link pe-ell", onclick: () => act.past(iri), title: question }, question), " ", el("span", { class: "pe-quiet" }, whenOf(when)));
  return el("ul", { class: "pe-plain pe-used" }, used.map(run), uses > used.length && el("li", { class: "pe-quiet" }, `and ${uses - used.length} more`));
}

// Runs that found something in it and did not say it rest on others.
const onlyLooked = (looked, uses) =>
  looked > 0 && el("span", { class: "pe-quiet pe-fine" }, `${counted(looked, uses ? "more run" : "run")} only looked at it: nothing of it stands in the answer.`);

// In the place of a document that is not here any more: what that means, and what one can do.
function goneView(store) {
  const { gone, open, removed } = store.documents;
  if (!gone || gone.iri !== open) return null;
  const name = gone.title ? `“${gone.title}”` : "This document";
  const back = removed.find(({ iri }) => iri === open);
  const said = gone.when ? `${name} was removed ${whenOf(gone.when)}.` : `${name} is not here any more.`;
  const after = "Its pages and facts are not searched any more. Answers that quoted it say that their source was removed.";
  return [
    el("b", { class: "pe-anywhere pe-gone-from", dir: "auto" }, said),
    el("span", { class: "pe-gone-from" }, after),
    back ? undoRemoval(store, open, gone.title, "Undo: bring it back") : el("span", {}, "Add its file again to have it back."),
  ];
}
