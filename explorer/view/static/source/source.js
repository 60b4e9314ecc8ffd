// The page a passage comes from. The words are shown at once, from what the node carries; the page when it arrives.
const LATE = 1500; // ms without the page, after which it is said that it does not come

function sourceView(store, act, lists = false) {
  const root = el("section", { class: "pe-panel pe-stack pe-share pe-slim pe-source", "aria-label": "Source" });
  const view = { root, act, large: false, mode: null, width: 0, late: null, key: null, listing: false, chosen: null, alone: lists, place: lists ? "shelf" : "page" };
  view.sized = new ResizeObserver(() => settleSource(view, store));
  root.addEventListener("keydown", (event) => closeFacts(event, view));
  view.enlarged = enlargedView(view, store);
  view.draw = () => {
    if (view.key !== store.source?.key) Object.assign(view, { key: store.source?.key, listing: lists, chosen: null });
    const empty = ["No source open", "Click a fact, a passage, or a number in the answer to see the page it came from."];
    if (store.source) drawSource(view, store);
    else fill(root, head("Source"), nothing(...empty));
    view.enlarged.draw();
  };
  return view;
}

function drawSource(view, store) {
  clearTimeout(view.late);
  const page = store.sources.get(store.source.key);
  const at = view.root.querySelector(".pe-facts")?.scrollTop ?? 0;
  fill(view.root, page ? pageParts(view, store, page) : wordsParts(view, store));
  const list = view.root.querySelector(".pe-facts");
  if (list && at) list.scrollTop = at;
  view.sized.disconnect();
  view.sized.observe(view.root.querySelector(".pe-desk")); // which says its size now, and when it gets another
}

// The panel has its size: the words are brought into view, and where the page can't be read there its text is shown.
function settleSource(view, store) {
  const desk = view.root.querySelector(".pe-desk");
  if (!desk?.clientWidth) return;
  const before = view.width;
  view.width = desk.clientWidth;
  const page = store.source && store.sources.get(store.source.key);
  if (page && isPictured(view, page) !== isPictured({ ...view, width: before }, page)) return view.draw();
  scrollToWords(desk);
  if (!view.act.looking || view.large) return;
  if (page) view.act.looking = false;
  if (!areWordsSeen(desk, Boolean(page))) bringIntoSight(view, desk);
}

// As much of the page as there is room for, but what led to it stays in sight where both fit.
function bringIntoSight({ act }, desk) {
  const root = desk.closest(".pe");
  const [from, low] = sightOf(root);
  const by = ({ top, bottom }) => (bottom > low ? Math.min(bottom - low, top - from) : Math.min(0, top - from));
  const marks = [...desk.querySelectorAll("mark.mine")].map((mark) => mark.getBoundingClientRect());
  const words = { top: Math.min(...marks.map(({ top }) => top)), bottom: Math.max(...marks.map(({ bottom }) => bottom)) };
  const read = root.querySelector(".pe-answer .pe-sentence.on")?.getBoundingClientRect();
  const [whole, least, room] = [by(desk.getBoundingClientRect()), marks.length ? by(words) : 0, read ? read.top - from : -1];
  scrollOn(act.view, room >= 0 && least <= room ? Math.min(whole, room) : whole);
}

// From where to where one sees of what is below the tabs, and below the question where that stays.
function sightOf(root) {
  const [high, low] = portOf(root);
  const tabs = root.classList.contains("presents") ? 0 : (root.closest(".pe-app")?.querySelector(".pe-tabs")?.offsetHeight ?? 0);
  return [Math.max(high + tabs, root.querySelector(".pe-go").getBoundingClientRect().bottom), low];
}

// The notebook stays where it is if they are in sight already; until the page is there, with all that stands around them,
// their beginning.
function areWordsSeen(desk, whole) {
  const root = desk.closest(".pe");
  const [from, low] = sightOf(root);
  const marks = [...desk.querySelectorAll("mark.mine")].flatMap((mark) => [...mark.getClientRects()]).filter(({ width }) => width);
  const within = ({ top, bottom }) => top >= from && bottom <= low;
  return marks.length > 0 && marks.slice(0, whole ? undefined : 1).every(within);
}

function wordsParts(view, store) {
  const { passage } = store.nodes.get(store.source.node);
  const { trouble } = store.source;
  const wait = trouble ? el("div", { class: "pe-trouble pe-alarm pe-anywhere" }, trouble) : el("p", { class: "pe-quiet" });
  const late = "The page is still being fetched. If the kernel is busy or gone, the words stay here as recorded.";
  const gone = "Not connected: the page can't be fetched. These are the words as recorded.";
  if (!trouble && !store.live) wait.textContent = gone;
  else if (!trouble) view.late = setTimeout(() => (wait.textContent = late), LATE);
  const lines = flowing(passage.text, 0, styles(passage.text, true));
  const words = el("div", { class: "pe-paper words" }, el("mark", { class: "mine" }, lines));
  return [
    sourceHead(view, store, { title: passage.title, sub: passage.where }),
    el("div", { class: "pe-desk pe-scroll", tabindex: 0, "aria-label": "Source" }, words, wait),
    sourceFoot(passage),
  ];
}

function pageParts(view, store, page) {
  const places = chosenPlaces(view, page);
  const desk = el(
    "div",
    { class: "pe-desk pe-scroll", tabindex: 0, "aria-label": `${page.title}, ${page.sub}` },
    page.trouble && el("div", { class: "pe-trouble pe-alarm pe-anywhere" }, page.trouble),
    isPictured(view, page) ? pictureOf(page, places, view) : wordsOf(page, places),
  );
  const newer = page.newer && !view.alone && newerLine(page.newer, () => view.act.document(page.newer.iri));
  const form = view.large ? null : correctForm(view.act?.view?.store ?? store, view.place);
  return [sourceHead(view, store, page), newer, desk, !form && entityChips(page, view), form ?? factList(view, store, page), sourceFoot(page, view)];
}

// Words that fill the panel begin at its top; others stand where the eye looks first.
function scrollToWords(desk) {
  const chosen = desk.querySelectorAll(".chosen");
  const marks = chosen.length ? [...chosen] : [...desk.querySelectorAll("mark.mine")];
  if (!marks.length) return;
  const size = desk.currentCSSZoom ?? 1; // boxes are measured as they are seen, and scrolled by as they are written
  const from = desk.getBoundingClientRect();
  const boxes = marks.map((one) => one.getBoundingClientRect());
  const [top, left] = [Math.min(...boxes.map((box) => box.top)), Math.min(...boxes.map((box) => box.left))];
  const [bottom, right] = [Math.max(...boxes.map((box) => box.bottom)), Math.max(...boxes.map((box) => box.right))];
  const before = (room, length) => Math.max(8, Math.min(room / 3, (room - length / size) / 2));
  desk.scrollTop += (top - from.top) / size - before(desk.clientHeight, bottom - top);
  desk.scrollLeft += (left - from.left) / size - before(desk.clientWidth, right - left);
}

function wordsOf(page, chosen) {
  const spans = chosen.map((place) => page.facts.spans[place]);
  const whole = page.runs.map(([text]) => text).join("");
  const styled = styles(whole);
  const pieces = [];
  for (const [text, kind, isChosen] of cutRuns(page.runs, spans)) {
    const start = pieces.at(-1)?.end ?? 0;
    const name = [kind || (isChosen && "other"), isChosen && "chosen"].filter(Boolean).join(" ");
    pieces.push({ start, end: start + text.length, kind, name });
  }
  const part = (from, to) =>
    pieces
      .filter(({ start, end }) => start < to && from < end)
      .map(({ start, end, kind, name }) => {
        const at = Math.max(from, start);
        const parts = flowing(whole.slice(at, Math.min(to, end)), at, styled);
        return name ? el(kind === "mine" ? "mark" : "span", { class: name }, parts) : parts;
      });
  return el("div", { class: "pe-paper words" }, blocksOf(whole).map((block) => (block.rows ? tableOf(block, whole, part) : part(block.start, block.end))));
}

function sourceHead(view, store, page) {
  const turn = (label, sign, key) =>
    signButton(sign, label, () => openSource(store, store.source.node, { ...store.source, turned: key }), { disabled: !key });
  const mode = (name, word) =>
    toggleButton((name === "page") === isPictured(view, page), word, () => {
      view.mode = name;
      view.draw();
    });
  const { neighbours } = page;
  return el(
    "div",
    { class: "pe-head pe-row pe-wrap pe-rigid pe-slim pe-tinted pe-source-head" },
    el(
      "span",
      { class: "pe-about-source pe-row pe-slim pe-grow" },
      !view.alone && icon("Document", store.looks, 16),
      !view.alone && el("h3", { class: "pe-ell", title: page.title }, page.title),
      !view.alone && page.file && el("span", { class: "pe-quiet pe-fine pe-ell pe-file-name", title: page.file }, page.file),
      el("span", { class: "pe-quiet pe-line pe-where pe-slim", title: page.sub }, el("span", { class: "pe-ell" }, page.sub), page.parts && partChooser(store, page)),
    ),
    el(
      "span",
      { class: "pe-about-source pe-inline pe-rigid" },
      neighbours &&
        (neighbours.prev || neighbours.next) && [
          turn("Previous page", "‹", neighbours.prev),
          turn("Next page", "›", neighbours.next),
        ],
      page.image && el("span", { class: "pe-pair pe-inline pe-rigid" }, mode("page", "Page"), mode("text", "Text")),
      view.large ? closeButton(view) : enlargeButton(view),
    ),
  );
}

// Over the words that say which one is on view, so that a click on them opens the list of all.
function partChooser(store, { parts, part }) {
  const select = el(
    "select",
    {
      "aria-label": "Page or section",
      title: "Choose another",
      onchange: () => openSource(store, store.source.node, { ...store.source, turned: select.value }),
    },
    parts.map(({ iri, name }) => el("option", { value: iri, selected: iri === part }, shortened(name))),
  );
  return select;
}

function sourceFoot(page, view) {
  const { others, whole, note, facts, sought } = page;
  return el(
    "div",
    { class: "pe-foot pe-row pe-rigid pe-fine pe-nowrap pe-one-line pe-wrap" },
    (note || sought) && el("span", {}, el("i", { class: "pe-swatch" }), sought || (whole ? "quoted" : "this passage")),
    whole && el("span", {}, el("i", { class: "pe-swatch whole" }), "this passage"),
    others && el("span", {}, el("i", { class: "pe-swatch other" }), "also in the answer"),
    facts?.total ? factsButton(view, facts) : null,
    view && addFactButton(view, page),
    grow(),
    el("span", { class: "pe-quiet" }, note),
  );
}

// What could not be fetched says so where it would have stood, not only above.
function takeTrouble(store, trouble) {
  store.tell("trouble", trouble);
  if (!store.source || store.source.key !== trouble.key) return;
  store.source.trouble = trouble.text;
  store.tell("fetched");
}
