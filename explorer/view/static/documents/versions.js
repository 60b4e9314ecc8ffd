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
