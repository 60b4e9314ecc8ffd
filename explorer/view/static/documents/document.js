// The document that is open. Its page is drawn by the source panel, which is given a store with nothing but this document.
function oneDocument(store, act) {
  const shelf = {
    looks: store.looks,
    run: "documents",
    nodes: new Map(),
    sources: new Map(),
    source: null,
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
  const about = el("div", "pe-about-document pe-stack pe-rigid pe-edged");
  const removing = el("div", "pe-rigid");
  const tries = groupOf("Questions to ask about it", "pe-tried pe-row pe-gap-m pe-wrap pe-slim pe-rigid pe-edged");
  const entity = entityView(store, act);
  const empty = el("div", "pe-nothing pe-row pe-stack pe-quiet");
  const parts = [newerDrop(store), about, removing, tries, panel.root, entity.root, empty];
  const root = el("section", { class: "pe-document pe-stack pe-slim", "aria-label": "Document" }, parts);
  const anew = changes();
  const draw = () => {
    const { one, open, suggested, gone, removed, heard, list, wanted } = store.documents;
    const shows = Boolean(one) && one.iri === open;
    for (const part of [about, removing]) part.hidden = !shows;
    panel.root.hidden = !shows || Boolean(wanted);
    entity.draw();
    empty.hidden = shows || Boolean(wanted);
    tries.hidden = !(shows && suggested?.iri === one.iri && suggested.questions.length && !one.newer && !store.documents.removing);
    if (!shows) {
      const { text } = store.documents;
      const opening = () => el("span", { role: "status" }, `Opening ${list.find(({ iri }) => iri === open)?.title ?? "it"} …`);
      const none = () => (list.length > 0 ? noneOpen(store, act) : !text && noneYet());
      if (anew("empty", gone, removed, heard, open, list.length > 0, text, store.bar?.examples))
        fill(empty, goneView(store) ?? (open && !wanted ? opening() : heard && !open && none()));
      return;
    }
    const tried = (question) => tryButton(question, one, store, act);
    if (!tries.hidden && anew("tries", suggested))
      fill(tries, el("span", "pe-quiet pe-fine", "Ask about it:"), suggested.questions.map(tried));
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

// Before one is opened, all of them can be asked.
function noneOpen(store, act) {
  const ask = (question) => {
    changeBar(store, { question, within: {} });
    act.ask(question);
  };
  const examples = store.bar?.examples ?? [];
  const tries = examples.slice(0, 3).map((question) => button({ class: "pe-btn", onclick: () => ask(question) }, question));
  const or = el("span", "pe-fine", "or try one of these:");
  return [
    store.bar && el("b", {}, "Ask your documents: type a question above"),
    tries.length > 0 && groupOf("Questions to ask", "pe-shelf-ask pe-stack", or, tries),
    el("span", "pe-fine", "Pick a document from the list to see its pages, with the facts that were found on them."),
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
  return smallButton(question, ask, { title: question });
}

function aboutDocument(one, store, act) {
  const { about, used, uses, looked, newer } = one;
  const told = [
    about.kind,
    about.pages && counted(about.pages, "page"),
    !newer && counted(about.facts, "fact"),
    about.when && `${about.kind === "Store" ? "read" : "added"} ${whenOf(about.when)}`,
  ];
  const askAbout = () => {
    changeBar(store, { within: { [about.iri]: about.title } });
    act.view.root.querySelector(".pe-question input").focus({ preventScroll: true });
  };
  const title = el("h3", { class: "pe-cut pe-anywhere pe-document-title", title: about.title, dir: "auto" }, about.title);
  const ways = [
    store.bar && !newer && smallButton("Ask about it", askAbout, { class: "go" }),
    !newer && whatIfDocument(store, about),
    !newer && (about.kind === "Store" ? readAgainButton : replaceButton)(store, about),
    removeButton(store, about),
  ];
  const where = joinWords([...told, about.file || about.source]);
  const [quoted, rest] = [`Quoted in ${counted(uses, "answer")}`, onlyLooked(looked, uses)];
  return [
    el("div", "pe-row pe-slim pe-gap-l pe-wrap", title, el("span", "pe-inline pe-wrap pe-slim pe-gap-l pe-document-ways", ways)),
    el("span", { class: "pe-quiet pe-fine pe-anywhere", title: about.source }, where),
    newer && newerLine(newer, () => openDocument(store, newer.iri)),
    versionList(one, store),
    uses > 0 ? folding(store.documents.unfolded, `used ${one.iri}`, quoted, usedList(used, uses, act), rest) : rest,
  ];
}

// Versions of a document: a file that takes its place, and what is said of one whose place was taken.
function replaceButton(store, { iri, title }) {
  const input = fileField(`New version of ${title}`, (files) => sendFiles(store, files, iri));
  const tip = "Choose a newer file for it; what it answered before still shows the old pages";
  return [smallButton("Replace…", () => input.click(), { title: tip }), input];
}

// A store that others fill is asked for all that it holds by now.
function readAgainButton(store, { iri, title }) {
  const again = () => store.send({ t: "read again", iri });
  const isRead = store.documents.files.some(({ file, state }) => file === iri && ["waiting", "reading"].includes(state));
  const tip = "Ask the store for all that it holds now; what changed becomes a newer version";
  return smallButton("Read again", again, { title: tip, "aria-label": `Read ${title} again`, disabled: isRead });
}

const takesFiles = ({ one, open }) => Boolean(one) && one.iri === open && !one.newer && one.about.kind !== "Store";

// While a file is dragged over the tab, a place to drop it as a new version of the document that is open.
function newerDrop(store) {
  const words = el("span", "pe-ell");
  const root = el("div", "pe-newer-drop pe-row pe-rigid", words);
  const aim = (on) => root.classList.toggle("over", on);
  root.addEventListener("dragenter", () => aim(true));
  root.addEventListener("dragleave", () => aim(false));
  root.addEventListener("drop", async (event) => {
    const { one } = store.documents;
    aim(false);
    if (!takesFiles(store.documents)) return; // then it is added, as anywhere else
    claim(event);
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
  const words = `A newer version is there${when ? ` (${whenOf(when)})` : ""}: questions are answered from that one.`;
  const props = { class: "pe-older pe-row pe-gap-l pe-wrap pe-slim pe-fine", role: "note" };
  return el("div", props, el("span", "pe-share pe-slim", words), smallButton("Open the newer one", open));
}

function versionList({ iri, versions }, store) {
  if (versions.length < 2) return null;
  const line = ({ iri: each, when }, at) => {
    const words = joinWords([at === versions.length - 1 ? "the newest" : "older", when && `added ${whenOf(when)}`], ", ");
    return el("li", {}, each === iri ? el("b", {}, `${words} (open)`) : linkButton(words, () => openDocument(store, each)));
  };
  const lines = el("ul", "pe-plain pe-scroll pe-used", versions.map(line).reverse());
  return folding(store.documents.unfolded, `versions ${iri}`, counted(versions.length, "version"), lines);
}

// Removing a document: what that changes is said before it is done.
function takeImpact(store, message) {
  if (store.documents.removing?.iri !== message.iri) return;
  store.documents.removing = { ...store.documents.removing, impact: message };
  store.tell("documents");
}

function takeGone(store, message) {
  if (message.iri !== store.documents.open) return;
  Object.assign(store.documents, { one: null, gone: message });
  store.tell("documents");
}

function removeButton(store, { iri, title }) {
  const on = store.documents.removing?.iri === iri;
  const onclick = () => {
    store.documents.removing = on ? null : { iri, title, impact: null, words: false };
    if (!on) store.send({ t: "impact?", iri });
    store.tell("documents");
  };
  return toggleButton(on, "Remove…", onclick, { told: "aria-expanded" });
}

function sureToRemove(store, act) {
  const { removing, open } = store.documents;
  if (!removing || removing.iri !== open) return null;
  const { iri, title, impact } = removing;
  if (removing.goes) return el("div", { class: "pe-removing pe-edged pe-alarm pe-anywhere", role: "status" }, `Removing “${title}” …`);
  const end = (goes) => {
    store.documents.removing = goes ? { ...removing, goes } : null; // until Python says what is here now
    if (goes) store.send({ t: "remove", iri, words: removing.words });
    store.tell("documents");
  };
  const waits = () => el("span", { class: "pe-quiet", role: "status" }, "Looking up what that changes …");
  const go = smallButton("Remove it", () => end(true), { disabled: !impact });
  return groupOf(
    "What removing it changes",
    "pe-removing pe-alarm pe-stack pe-gap-m pe-rigid pe-edged pe-scroll",
    el("b", "pe-anywhere", `Remove “${title}”?`),
    impact ? impactLines(impact, removing, act) : waits(),
    el("div", "pe-row pe-slim pe-gap-l", go, smallButton("Keep it", () => end(false))),
  );
}

function impactLines(impact, removing, act) {
  const { facts, kept, named, versions, used, uses, looked, texts } = impact;
  const stay = kept ? `; ${kept === 1 ? "one stays" : `${kept.toLocaleString("en")} stay`}, as other documents say the same` : "";
  const goes = `${counted(facts, "fact")} ${facts === 1 ? "goes" : "go"} with it${stay}.`;
  const facing = [named.map((one) => el("li", { dir: "auto" }, one)), restOf("li", facts, named.length)];
  const one = "quotes it. It stays; in place of the page it says that the source was removed.";
  const many = "quote it. They stay; in place of the page they say that the source was removed.";
  const quoting = foldOf(`${counted(uses, "answer")} ${uses === 1 ? one : many}`, usedList(used, uses, act));
  quoting.open = uses <= 3;
  const earlier = versions === 1 ? "The version before it goes too." : `The ${versions} versions before it go too.`;
  const onchange = ({ target }) => (removing.words = target.checked);
  const box = el("input", { type: "checkbox", checked: removing.words, onchange });
  const also =
    `Also remove the words of it that answers quote (${counted(texts, "text")} of past answers). ` +
    "These do not come back with Undo.";
  return [
    facts || kept ? foldOf(goes, el("ul", "pe-gone-facts pe-scroll", facing)) : el("span", {}, "No fact goes with it."),
    uses ? quoting : el("span", {}, "No answer quotes it."),
    onlyLooked(looked, uses),
    versions > 0 && el("span", {}, earlier),
    texts > 0 && el("label", "pe-top pe-slim pe-gap-m", box, el("span", {}, also)),
    el("span", "pe-quiet", "Undo brings all of it back as it was, as long as this app is open."),
  ];
}

function usedList(used, uses, act) {
  const link = ({ iri, question }) => linkButton(question, () => act.past(iri), { class: "pe-ell", title: question });
  const lines = used.map((run) => el("li", {}, link(run), " ", el("span", "pe-quiet", whenOf(run.when))));
  return el("ul", "pe-plain pe-scroll pe-used", lines, restOf("li", uses, used.length));
}

// Runs that found something in it and did not say it rest on others.
function onlyLooked(looked, uses) {
  const runs = counted(looked, uses ? "more run" : "run");
  return looked > 0 && el("span", "pe-quiet pe-fine", `${runs} only looked at it: nothing of it stands in the answer.`);
}

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
    el("span", "pe-gone-from", after),
    back ? undoRemoval(store, open, gone.title, "Undo: bring it back", smallButton) : el("span", {}, "Add its file again to have it back."),
  ];
}
