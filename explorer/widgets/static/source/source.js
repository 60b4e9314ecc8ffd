// The page a passage comes from. The words are shown at once, from what the node carries; the page when it arrives.
function sourceView(store) {
  const root = el("section", { class: "pe-panel pe-stack pe-share pe-slim pe-source", "aria-label": "Source" });
  const view = { root, mode: "page", late: null, key: null, listing: false, chosen: null };
  view.sized = new ResizeObserver(([{ target }]) => scrollToWords(target));
  root.addEventListener("keydown", (event) => closeFacts(event, view));
  view.draw = () => {
    clearTimeout(view.late);
    if (view.key !== store.source?.key) Object.assign(view, { key: store.source?.key, listing: false, chosen: null });
    const page = store.source && store.sources.get(store.source.key);
    const empty = ["No source open", "Click a fact, a passage, or a number in the answer", "to see the page it came from."];
    if (!store.source) fill(root, head("Source"), nothing(...empty));
    else if (!page) drawWords(view, store);
    else drawPage(view, store, page);
  };
  return view;
}

function drawWords(view, store) {
  const { passage } = store.nodes.get(store.source.node);
  const { trouble } = store.source;
  const wait = trouble ? el("div", { class: "pe-trouble pe-alarm pe-anywhere" }, trouble) : el("p", { class: "pe-quiet" });
  const late = "The page is still being fetched. If the kernel is busy or gone, the words stay here as recorded.";
  if (!trouble) view.late = setTimeout(() => (wait.textContent = late), 1500);
  const words = el("div", { class: "pe-paper words" }, el("mark", { class: "mine" }, passage.text));
  fill(
    view.root,
    sourceHead(view, store, { title: passage.title, sub: passage.where }),
    el("div", { class: "pe-desk pe-scroll", tabindex: 0, "aria-label": "Source" }, words, wait),
    sourceFoot(passage),
  );
}

function drawPage(view, store, page) {
  const picture = view.mode === "page" && page.image;
  const desk = el(
    "div",
    { class: "pe-desk pe-scroll", tabindex: 0, "aria-label": `${page.title}, ${page.sub}` },
    page.trouble && el("div", { class: "pe-trouble pe-alarm pe-anywhere" }, page.trouble),
    picture ? pictureOf(page, chosenPlaces(view, page)) : wordsOf(page, chosenPlaces(view, page)),
  );
  const at = view.root.querySelector(".pe-facts")?.scrollTop ?? 0;
  fill(view.root, sourceHead(view, store, page), desk, factList(view, store, page), sourceFoot(page, view));
  const list = view.root.querySelector(".pe-facts");
  if (list && at) list.scrollTop = at;
  view.sized.disconnect();
  view.sized.observe(desk); // scrolls to the words now, and again when the panel gets another width
}

function scrollToWords(desk) {
  const mark = desk.querySelector(".chosen") ?? desk.querySelector("mark.mine");
  if (!mark) return;
  const { top } = desk.getBoundingClientRect();
  desk.scrollTop += mark.getBoundingClientRect().top - top - desk.clientHeight / 3;
}

// Boxes over the picture hold the words themselves, unseen, so that they can be read aloud, copied and checked.
function pictureOf(page, chosen) {
  const part = (value) => `${value * 100}%`;
  const paper = el("div", {
    class: "pe-paper picture",
    style: { aspectRatio: `${page.page.width} / ${page.page.height}` },
  });
  paper.append(el("img", { src: page.image, alt: `Picture of ${page.title}, ${page.sub}`, draggable: "false" }));
  const put = (tag, name, box) => {
    const style = { left: part(box.x), top: part(box.y), width: part(box.w), height: part(box.h) };
    paper.append(el(tag, { class: name, style }, box.text));
  };
  for (const box of page.page.boxes) put(box.mine ? "mark" : "span", box.mine ? "mine" : "other", box);
  for (const place of chosen) for (const box of page.page.facts[place]) put("span", "other chosen", box);
  return paper;
}

function wordsOf(page, chosen) {
  const paper = el("div", { class: "pe-paper words" });
  const spans = chosen.map((place) => page.facts.spans[place]);
  const soft = softBreaks(page.runs.map(([text]) => text).join(""));
  let at = 0;
  for (const [text, kind, isChosen] of cutRuns(page.runs, spans)) {
    const name = [kind || (isChosen && "other"), isChosen && "chosen"].filter(Boolean).join(" ");
    const parts = flowing(text, at, soft);
    if (name) paper.append(el(kind === "mine" ? "mark" : "span", { class: name }, parts));
    else paper.append(...parts);
    at += text.length;
  }
  return paper;
}

function sourceHead(view, store, page) {
  const turn = (label, sign, key) =>
    signButton(sign, label, () => openSource(store, store.source.node, key), { disabled: !key });
  const mode = (name, word) =>
    toggleButton(view.mode === name, word, () => {
      view.mode = name;
      view.draw();
    });
  const { neighbours } = page;
  return el(
    "div",
    { class: "pe-head pe-row pe-rigid pe-slim pe-tinted" },
    icon("Document", store.looks, 16),
    el("h3", { class: "pe-ell", title: page.title }, page.title),
    el("span", { class: "pe-quiet pe-line pe-ell pe-where pe-rigid", title: page.sub }, page.sub),
    grow(),
    neighbours &&
      (neighbours.prev || neighbours.next) && [
        turn("Previous page", "‹", neighbours.prev),
        turn("Next page", "›", neighbours.next),
      ],
    page.image && el("span", { class: "pe-pair pe-inline pe-rigid" }, mode("page", "Page"), mode("text", "Text")),
  );
}

function sourceFoot({ others, note, facts }, view) {
  return el(
    "div",
    { class: "pe-foot pe-row pe-rigid pe-fine pe-nowrap pe-one-line pe-wrap" },
    note && el("span", {}, el("i", { class: "pe-swatch" }), "this passage"),
    others && el("span", {}, el("i", { class: "pe-swatch other" }), "also used"),
    facts?.total ? factsButton(view, facts) : null,
    grow(),
    el("span", { class: "pe-quiet" }, note),
  );
}

// What could not be fetched says so where it would have stood, not only above.
function takeTrouble(store, trouble) {
  store.tell("trouble", trouble);
  if (!store.source || store.source.key !== trouble.key) return;
  store.source.trouble = trouble.text;
  store.tell("source");
}
