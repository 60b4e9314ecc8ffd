// The page a passage comes from. The words are shown at once, from what the node carries; the page when it arrives.
const LATE = 1500; // ms without the page, after which it is said that it does not come

const ENLARGES = "Enlarge, turn pages, facts of the page";

// While none is open: what opens one, or why there is none.
function sourceless({ state, nodes, selected }) {
  if (selected || !nodes.size) return null;
  if (state === "running") return nothing("Source", "The words behind the answer open here.");
  const isThere = [...nodes.values()].some(({ passage }) => passage);
  if (isThere) return nothing("Source", "Click a number, a sentence or a fact to read its source.");
  if (state !== "declined") return nothing("Source", "This run has no source on record.");
  const isRead = [...nodes.values()].some(({ kind }) => kind === "NotKept");
  return nothing("Source", isRead ? "Nothing of what was read was kept." : "Nothing near the question was found.");
}

function sourceView(store, act, lists = false) {
  const onkeydown = (event) => closeFacts(event, view);
  const root = el("section", { class: "pe-panel pe-stack pe-share pe-slim pe-source", "aria-label": "Source", onkeydown });
  const begun = { mode: null, width: 0, late: null, key: null, listing: false, chosen: null };
  const view = { root, act, large: false, ...begun, alone: lists, place: lists ? "shelf" : "page" };
  view.sized = new ResizeObserver(() => settleSource(view, store));
  view.enlarged = enlargedView(view, store);
  view.draw = () => {
    if (view.key !== store.source?.key) Object.assign(view, { key: store.source?.key, listing: lists, chosen: null });
    if (store.source) drawSource(view, store);
    else fill(root, sourceless(store));
    root.hidden = !root.childNodes.length;
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
  view.width = desk.clientWidth;
  const page = store.source && store.sources.get(store.source.key);
  if (page && isPictured(view, page) !== Boolean(desk.querySelector(".pe-paper.picture"))) return view.draw();
  scrollToWords(desk);
  if (!view.act.looking || view.large) return;
  if (page) view.act.looking = false;
  if (!areWordsSeen(view, desk, Boolean(page))) bringIntoSight(view, desk);
}

// As much of the page as there is room for, but what led to it stays in sight where both fit.
function bringIntoSight({ act }, desk) {
  const root = desk.closest(".pe");
  const [from, low] = sightOf(act.view);
  const by = ({ top, bottom }) => (bottom > low ? Math.min(bottom - low, top - from) : Math.min(0, top - from));
  const marks = [...desk.querySelectorAll("mark.mine")].map((mark) => mark.getBoundingClientRect());
  const words = { top: Math.min(...marks.map(({ top }) => top)), bottom: Math.max(...marks.map(({ bottom }) => bottom)) };
  const read = root.querySelector(".pe-answer .pe-sentence.on")?.getBoundingClientRect();
  const [whole, least, room] = [by(desk.getBoundingClientRect()), marks.length ? by(words) : 0, read ? read.top - from : -1];
  scrollOn(act.view, room >= 0 && least <= room ? Math.min(whole, room) : whole);
}

// The notebook stays where it is if they are in sight already; until the page is there, with all that stands around them,
// their beginning.
function areWordsSeen({ act }, desk, whole) {
  const [from, low] = sightOf(act.view);
  const marks = [...desk.querySelectorAll("mark.mine")].flatMap((mark) => [...mark.getClientRects()]).filter(({ width }) => width);
  const within = ({ top, bottom }) => top >= from && bottom <= low;
  return marks.length > 0 && marks.slice(0, whole ? undefined : 1).every(within);
}

function wordsParts(view, store) {
  const { passage } = store.nodes.get(store.source.node);
  const { trouble } = store.source;
  const wait = trouble ? el("div", "pe-trouble pe-alarm pe-anywhere", trouble) : el("p", "pe-quiet");
  const late = "The page is still being fetched. If the kernel is busy or gone, the words stay here as recorded.";
  const gone = "Not connected: the page can't be fetched. These are the words as recorded.";
  if (!trouble && !store.live) wait.textContent = gone;
  else if (!trouble) view.late = setTimeout(() => (wait.textContent = late), LATE);
  const words = el("div", "pe-paper words", marked("mine", passage.text, 0, styles(passage.text, true)));
  return [
    sourceHead(view, store, { title: passage.title, sub: passage.where }),
    el("div", { class: "pe-desk pe-scroll", tabindex: 0, "aria-label": "Source" }, words, wait),
  ];
}

function pageParts(view, store, page) {
  const places = chosenPlaces(view, page);
  const trouble = page.trouble && el("div", "pe-trouble pe-alarm pe-anywhere", page.trouble);
  const paper = isPictured(view, page) ? pictureOf(page, places, view) : wordsOf(page, places);
  const desk = el("div", { class: "pe-desk pe-scroll", tabindex: 0, "aria-label": `${page.title}, ${page.sub}` }, trouble, paper);
  const newer = page.newer && !view.alone && newerLine(page.newer, () => view.act.document(page.newer.iri));
  const form = view.large ? null : correctForm(view.act?.view?.store ?? store, view.place);
  const chips = !form && entityChips(page, view);
  return [sourceHead(view, store, page), newer, desk, chips, form ?? factList(view, store, page), sourceFoot(page, view, store)];
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
    const name = joinWords([kind || (isChosen && "other"), isChosen && "chosen"], " ");
    pieces.push({ start, end: start + text.length, kind, name });
  }
  const part = (from, to) =>
    pieces
      .filter(({ start, end }) => start < to && from < end)
      .map(({ start, end, kind, name }) => {
        const at = Math.max(from, start);
        const words = [whole.slice(at, Math.min(to, end)), at, styled];
        if (kind === "mine") return marked(name, ...words);
        return name ? el("span", name, flowing(...words)) : flowing(...words);
      });
  const parts = blocksOf(whole).map((block) => (block.rows ? tableOf(block, whole, part) : part(block.start, block.end)));
  return el("div", "pe-paper words", parts);
}

// Beside an answer: what turns pages and lists facts stands where it is enlarged.
const isBeside = ({ large, alone }) => !large && !alone;

function sourceHead(view, store, page) {
  const turn = (label, sign, key) =>
    signButton(sign, label, () => openSource(store, store.source.node, { ...store.source, turned: key }), { disabled: !key });
  const mode = (name, word) =>
    toggleButton((name === "page") === isPictured(view, page), word, () => {
      view.mode = name;
      view.draw();
    });
  const isWide = !isBeside(view);
  const { prev, next } = page.neighbours ?? {};
  const chooser = isWide && page.parts && partChooser(store, page);
  const about = [
    !view.alone && el("h3", { class: "pe-ell", title: page.title }, page.title),
    view.large && page.file && el("span", { class: "pe-quiet pe-fine pe-ell pe-file-name", title: page.file }, page.file),
    el("span", { class: "pe-quiet pe-line pe-where pe-slim", title: page.sub }, el("span", "pe-ell", page.sub), chooser),
  ];
  const enlarge = { class: "pe-btn small square pe-enlarge", title: ENLARGES };
  const ways = [
    isWide && (prev || next) && [turn("Previous page", "‹", prev), turn("Next page", "›", next)],
    isWide && page.image && el("span", "pe-pair pe-inline pe-rigid", mode("page", "Page"), mode("text", "Text")),
    view.large && smallButton("Close", view.close, { title: "Close (Esc)" }),
    !view.large && signButton("⤢", "Enlarge", view.enlarged.open, enlarge),
  ];
  return el(
    "div",
    `pe-head pe-lined pe-row pe-gap-l pe-rigid pe-slim pe-source-head ${isWide ? "pe-wrap" : ""}`,
    el("span", `pe-about-source pe-row pe-gap-l pe-slim pe-grow pe-wrap ${isWide ? "apart" : ""}`, about),
    el("span", "pe-inline pe-gap-l pe-rigid", ways),
  );
}

// Over the words that say which one is on view, so that a click on them opens the list of all.
function partChooser(store, { parts, part }) {
  const onchange = ({ target }) => openSource(store, store.source.node, { ...store.source, turned: target.value });
  const options = parts.map(({ iri, name }) => el("option", { value: iri, selected: iri === part }, shortened(name)));
  return el("select", { "aria-label": "Page or section", title: "Choose another", onchange }, options);
}

function sourceFoot(page, view, store) {
  const { others, whole, note, facts, sought } = page;
  if (isBeside(view)) return null;
  const words = store.nodes.get(store.source.said)?.kind === "ChunkSelection" ? "fits best" : "quoted";
  return el(
    "div",
    "pe-foot pe-row pe-rigid pe-fine pe-nowrap pe-one-line pe-wrap",
    (note || sought) && el("span", {}, el("i", "pe-swatch"), sought || (whole ? words : "this passage")),
    whole && el("span", {}, el("i", "pe-swatch whole"), "this passage"),
    others && el("span", {}, el("i", "pe-swatch other"), "also in the answer"),
    facts?.total ? factsButton(view, facts) : null,
    addFactButton(view, page),
    grow(),
    el("span", "pe-quiet", note),
  );
}

// What could not be fetched says so where it would have stood, not only above.
function takeTrouble(store, trouble) {
  store.tell("trouble", trouble);
  if (!store.source || store.source.key !== trouble.key) return;
  store.source.trouble = trouble.text;
  store.tell("fetched");
}

// The picture of a page. Its margins are cropped, and no side of it is cut off; where it could not be read its text is
// shown first, and one click enlarges it.
const LEAST_TYPE = 10; // px: below this the text is shown first
const FROM_AFAR = 13.4; // the same where it is presented: 20 px on the screen
const TYPE = 0.9; // of the box of a line: a line of Times is 1.11 of its type high, one of Helvetica 1.12
const PAPER = 0.015; // of the page: what is left of its margins
const PADDING = 24; // px beside the paper

const isMine = ({ kind }) => kind === "mine";

function croppedTo({ ink }) {
  const [left, top] = [Math.max(0, ink.x - PAPER), Math.max(0, ink.y - PAPER)];
  const [right, bottom] = [Math.min(1, ink.x + ink.w + PAPER), Math.min(1, ink.y + ink.h + PAPER)];
  return { x: left, y: top, w: right - left, h: bottom - top };
}

// How large the type of the words is where the cropped page is so wide, in px; of a page without words it is not known.
function typeAt(picture, width) {
  const boxes = picture.boxes.filter((box) => box.w > 0);
  const mine = boxes.filter(isMine);
  const heights = (mine.length ? mine : boxes).map((box) => box.h * picture.height).sort((a, b) => a - b);
  if (!heights.length) return FROM_AFAR;
  return (heights[heights.length >> 1] * TYPE * width) / (croppedTo(picture).w * picture.width);
}

// Who has chosen page or text gets it; else the page, if its words can be marked there and read in a panel of this width.
function isPictured(view, page) {
  const { mode, width, large } = view;
  if (!page.image || mode) return Boolean(page.image) && mode === "page";
  if (!isMarked(view, page)) return false;
  const least = view.root.closest(".presents") ? FROM_AFAR : LEAST_TYPE;
  return large || !width || typeAt(page.page, width - PADDING) >= least;
}

// Whether it is known where on the picture the words are that are to be marked: of a scanned page it is not.
function isMarked(view, page) {
  const { boxes, facts } = page.page;
  const chosen = chosenPlaces(view, page);
  const wanted = chosen.length > 0 || page.runs.some(([, kind]) => kind === "mine");
  const places = chosen.length > 0 ? chosen.flatMap((place) => facts[place]) : boxes.filter(isMine);
  return !wanted || places.some((box) => box.w > 0);
}

// Boxes over the picture hold the words themselves, unseen, so that they can be read aloud, copied and checked.
function pictureOf(page, chosen, view) {
  const part = (value) => `${value * 100}%`;
  const { width, height, boxes, facts } = page.page;
  const crop = croppedTo(page.page);
  const at = ({ x, y, w, h }) => ({ left: part(x), top: part(y), width: part(w), height: part(h) });
  const put = (tag, name, box) => el(tag, { class: name, style: at(box) }, box.text);
  const sheet = el(
    "div",
    { class: "pe-sheet", style: at({ x: -crop.x / crop.w, y: -crop.y / crop.h, w: 1 / crop.w, h: 1 / crop.h }) },
    el("img", { src: page.image, alt: `Picture of ${page.title}, ${page.sub}`, draggable: "false" }),
    boxes.map((box) => put(isMine(box) ? "mark" : "span", box.kind, box)),
    chosen.flatMap((place) => facts[place]).map((box) => put("span", "other chosen", box)),
  );
  const style = {
    aspectRatio: `${crop.w * width} / ${crop.h * height}`,
    width: part(1),
    maxWidth: `${Math.round(crop.w * width * (view.large ? 1.3 : 1))}px`, // larger than it was drawn it blurs
  };
  return el("div", { class: "pe-paper picture", style, onclick: view.large ? null : view.enlarged.open }, sheet);
}

// The source as large as the window, over everything; it shows what the panel has, also when the kernel is gone.
function enlargedView(small, store) {
  const root = el("dialog", { class: "pe-large pe-stack", "aria-label": "Source, enlarged" });
  const view = { ...small, root, large: true, alone: false, width: 1, mode: null, close: () => root.close() };
  view.enlarged = { root };
  view.draw = () => root.open && (store.source ? drawSource(view, store) : root.close());
  view.sized = new ResizeObserver(() => settleSource(view, store));
  view.open = () => {
    Object.assign(view, { mode: null, listing: false, chosen: null });
    root.showModal();
    drawSource(view, store);
    root.querySelector(".pe-desk").focus();
  };
  root.addEventListener("click", ({ target }) => target === root && root.close()); // beside the page
  root.addEventListener("keydown", (event) => {
    closeFacts(event, view);
    if (event.key === "Escape") event.stopPropagation(); // the graph would hear it too
  });
  root.addEventListener("close", () => {
    fill(root);
    small.root.querySelector(".pe-enlarge")?.focus({ preventScroll: true });
  });
  return view;
}

// The facts that were taken from the page on view: a list of them below it; one that is chosen is marked on the page.
function factsButton(view, facts) {
  const gone = facts.items.filter((fact) => fact.gone); // they are listed, but no facts of the document any more
  const told = ["retracted", "reworded"].map((done) => [gone.filter(({ by }) => by.startsWith(done)).length, done]);
  const held = counted(facts.total - gone.length, "fact");
  const words = joinWords([`${held} from this ${facts.from}`, ...told.map(([n, done]) => n && `${n} ${done}`)], ", ");
  const toggle = () => {
    Object.assign(view, { listing: !view.listing, chosen: null });
    view.draw();
  };
  return linkButton(words, toggle, { class: "pe-line", "aria-expanded": String(view.listing) });
}

function factList(view, store, page) {
  const { facts } = page;
  if (!view.listing || !facts) return null;
  const props = { class: "pe-facts pe-topped pe-plain pe-rigid pe-scroll", "aria-label": `Facts from this ${facts.from}` };
  const lines = facts.items.map((fact, number) => factLine(fact, number, view, store, page));
  return el("ul", props, lines, restOf("li", facts.total, facts.items.length));
}

function factLine(fact, number, view, store, page) {
  const { words: [s, p, o], at, n, node, gone } = fact;
  const on = view.chosen === number;
  const choose = () => {
    view.chosen = on ? null : number;
    view.draw();
  };
  const title = at.length ? "Highlight its words" : "The place of its words is not recorded";
  const props = { class: "pe-bare", "aria-pressed": String(on), title, onclick: choose };
  const line = button(props, el("b", {}, s), ` — ${p} → ${o}`);
  const kept = store.nodes.has(node) && keptButton(store, node, n);
  return el("li", joinWords(["pe-top", on && "on", gone && "gone"], " "), line, correctingOf(fact, view, page), kept);
}

// What the answer cites has its number there.
function keptButton(store, node, n) {
  const [cited] = store.nodes.get(node).numbers ?? [];
  const props = { title: "Kept in this run: select it", "aria-label": `Select fact ${n}`, onclick: () => select(store, node) };
  return button({ class: cited ? "pe-cite" : "pe-link", ...props }, cited ? String(cited) : "kept");
}

const chosenPlaces = (view, page) => (view.chosen === null ? [] : (page.facts?.items[view.chosen]?.at ?? []));

// Runs of text, cut where chosen words begin and end; each piece says whether it is chosen.
function cutRuns(runs, spans) {
  const pieces = [];
  let from = 0;
  for (const [text, kind] of runs) {
    const to = from + text.length;
    const cuts = spans.flat().filter((cut) => cut > from && cut < to);
    const ends = [...new Set([...cuts, to])].sort((a, b) => a - b);
    let at = from;
    for (const end of ends) {
      const isChosen = spans.some(([start, stop]) => start <= at && end <= stop);
      pieces.push([text.slice(at - from, end - from), kind, isChosen]);
      at = end;
    }
    from = to;
  }
  return pieces;
}

// Escape closes the list and takes the mark away; only without them does it clear the selection.
function closeFacts(event, view) {
  if (!view.listing && view.chosen === null) return;
  onEscape(() => {
    Object.assign(view, { listing: false, chosen: null });
    view.draw();
  })(event);
}
