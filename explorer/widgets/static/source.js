// The page a passage comes from. The words are shown at once, from what the node carries; the page when it arrives.
function sourceView(store) {
  const root = el("section", { class: "pe-panel pe-source", "aria-label": "Source" });
  const view = { root, mode: "page", late: null, shown: null };
  view.draw = () => {
    clearTimeout(view.late);
    const page = store.source && store.sources.get(store.source.key);
    if (!store.source) {
      fill(
        root,
        head("Source"),
        nothing(
          "No source open",
          "Click a fact, a passage, or a number in the answer",
          "to see the page it came from.",
        ),
      );
    } else if (!page) {
      drawWords(view, store);
    } else {
      drawPage(view, store, page);
    }
  };
  return view;
}

function drawWords(view, store) {
  const { passage } = store.nodes.get(store.source.node);
  const wait = el("p", { class: "pe-quiet" });
  view.late = setTimeout(
    () =>
      (wait.textContent =
        "The page is still being fetched. If the kernel is busy or gone, the words stay here as recorded."),
    1500,
  );
  const words = el("div", { class: "pe-paper words" }, el("p", {}, el("mark", { class: "mine" }, passage.text)));
  fill(
    view.root,
    sourceHead(view, store, { title: passage.title, sub: passage.where }),
    el("div", { class: "pe-desk", tabindex: 0, "aria-label": "Source" }, words, wait),
    sourceFoot(passage),
  );
}

function drawPage(view, store, page) {
  const picture = view.mode === "page" && page.image;
  const desk = el(
    "div",
    { class: "pe-desk", tabindex: 0, "aria-label": `${page.title}, ${page.sub}` },
    page.trouble && el("div", { class: "pe-trouble" }, page.trouble),
    picture ? pictureOf(page) : wordsOf(page),
  );
  fill(view.root, sourceHead(view, store, page), desk, sourceFoot(page));
  const mark = desk.querySelector("mark.mine");
  if (mark)
    desk.scrollTop = Math.max(
      0,
      mark.getBoundingClientRect().top - desk.getBoundingClientRect().top - desk.clientHeight / 3,
    );
}

// Boxes over the picture hold the words themselves, unseen, so that they can be read aloud, copied and checked.
function pictureOf(page) {
  const part = (value, whole) => `${value * 100}%`;
  const paper = el("div", {
    class: "pe-paper picture",
    style: { aspectRatio: `${page.page.width} / ${page.page.height}` },
  });
  paper.append(el("img", { src: page.image, alt: `Picture of ${page.title}, ${page.sub}`, draggable: "false" }));
  for (const box of page.page.boxes) {
    const style = { left: part(box.x), top: part(box.y), width: part(box.w), height: part(box.h) };
    paper.append(el(box.mine ? "mark" : "span", { class: box.mine ? "mine" : "other", style }, box.text));
  }
  return paper;
}

function wordsOf(page) {
  const paper = el("div", { class: "pe-paper words" });
  for (const [text, kind] of page.runs) {
    paper.append(
      kind === "mine" ? el("mark", { class: "mine" }, text) : kind ? el("span", { class: "other" }, text) : text,
    );
  }
  return paper;
}

function sourceHead(view, store, page) {
  const turn = (label, sign, key) =>
    button(
      {
        class: "pe-btn small square",
        title: label,
        "aria-label": label,
        disabled: !key,
        onclick: () => openSource(store, store.source.node, key),
      },
      sign,
    );
  const mode = (name, word) =>
    button(
      {
        class: `pe-btn small ${view.mode === name ? "on" : ""}`,
        "aria-pressed": String(view.mode === name),
        onclick: () => {
          view.mode = name;
          view.draw();
        },
      },
      word,
    );
  const { neighbours } = page;
  return el(
    "div",
    { class: "pe-head" },
    icon("Document", store.looks, 16),
    el("h3", { class: "pe-ell", title: page.title }, page.title),
    el("span", { class: "pe-quiet pe-line pe-ell pe-where", title: page.sub }, page.sub),
    grow(),
    neighbours &&
      (neighbours.prev || neighbours.next) && [
        turn("Previous page", "‹", neighbours.prev),
        turn("Next page", "›", neighbours.next),
      ],
    page.image && el("span", { class: "pe-pair" }, mode("page", "Page"), mode("text", "Text")),
  );
}

function sourceFoot({ others, note }) {
  return el(
    "div",
    { class: "pe-foot" },
    el("span", {}, el("i", { class: "pe-swatch" }), "this passage"),
    others && el("span", {}, el("i", { class: "pe-swatch other" }), "also used"),
    grow(),
    el("span", { class: "pe-quiet pe-ell" }, note),
  );
}
