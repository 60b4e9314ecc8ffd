// Two runs side by side: answers, key ideas and sources in two halves, facts as one table or as one graph.
const MOST_SHOWN = 800; // letters of a text that is cut to a few lines: more only slow the page
const SIDES = ["a", "b"];
const WAYS = ["Table", "One graph", "Step by step"];

function compareView(store, act) {
  const root = el("section", { class: "pe-compare pe-slim pe-edged", "aria-label": "Two runs side by side" });
  const present = pastPresentPart(act, store);
  const view = { store, act, root, present, seen: null, differences: true, way: "Table", marked: null, open: new Set() };
  view.draw = keepingFocus(root, () => drawCompare(view));
  const isOld = () => view.way === "One graph" && root.clientWidth && root.clientWidth !== view.wide; // the drawing has another width
  view.sized = new ResizeObserver(() => isOld() && view.draw());
  view.sized.observe(root);
  return { root, draw: view.draw };
}

function drawCompare(view) {
  const found = view.store.compare;
  view.root.hidden = !found || view.store.mode !== "past";
  if (view.seen !== found) {
    clearTimeout(view.replay?.timer);
    Object.assign(view, { seen: found, marked: null, open: new Set(), replay: null });
  }
  if (!found) return fill(view.root);
  if (view.root.hidden) return view.root; // it stays as it was left
  view.present.draw();
  view.wide = view.root.clientWidth;
  view.root.classList.toggle("steps", view.way === "Step by step");
  return fill(
    view.root,
    compareBar(view, found),
    found.question !== null &&
      el(
        "div",
        { class: "pe-versus-asked pe-row pe-edged" },
        icon("Question", view.store.looks, 18),
        cutText(found.question, 2),
      ),
    inHalves((side) => runHead(view, found, side), "heads"),
    view.way === "Step by step" ? compareReplay(view, found) : comparedWhole(view, found),
  );
}

// What was asked to be drawn comes first.
function comparedWhole(view, found) {
  const isDrawn = view.way === "One graph";
  const said = [
    versusSection("Answer", found.b.iri !== found.a.iri && versusNote("underlined = said only on this side")),
    inHalves((side) => answerHalf(view, found[side], side), "answers"),
    versusSection("Key ideas"),
    inHalves((side) => ideasHalf(found[side], side)),
  ];
  const kept = [
    versusSection(
      found.heading,
      versusNote(found.looked),
      el("span", { class: "pe-versus-by pe-inline pe-wrap pe-slim" }, found.authors.map(byline)),
    ),
    isDrawn ? compareGraph(view, found) : compareTable(view, found),
  ];
  const sources = [versusSection("Sources"), inHalves((side) => sourcesHalf(view, found[side], side))];
  return isDrawn ? [kept, said, sources] : [said, kept, sources];
}

function compareBar(view, found) {
  const toggle = (way) => toggleButton(view.way === way, way, () => changeCompare(view, { way }));
  const first = el("input", {
    type: "checkbox",
    tabindex: 0,
    "aria-label": "Differences first",
    onchange: (event) => changeCompare(view, { differences: event.target.checked }),
  });
  first.checked = view.differences;
  return el(
    "div",
    { class: "pe-versus-bar pe-row pe-wrap pe-tinted" },
    button({ class: "pe-btn small", onclick: () => view.act.closeCompare() }, "‹ Back to the list"),
    el(
      "div",
      { class: "pe-versus-told pe-row pe-wrap" },
      el("h3", {}, "Two runs side by side"),
      el("span", { class: "pe-quiet", title: found.summary }, found.summary),
    ),
    grow(),
    el(
      "span",
      { class: "pe-versus-tools pe-inline pe-wrap" },
      view.way !== "Step by step" && el("label", { class: "pe-line pe-versus-first pe-inline" }, first, "Differences first"),
      el(
        "span",
        { class: "pe-pair pe-inline pe-rigid", role: "group", "aria-label": "Shown as" },
        WAYS.map(toggle),
      ),
      button({ class: "pe-btn small", onclick: () => view.act.compare(found.b.iri, found.a.iri) }, "Swap A and B"),
      exportMenu(found),
    ),
    view.present.root,
  );
}

function changeCompare(view, change) {
  Object.assign(view, change);
  view.draw();
  const drawn = change.way === "One graph" && view.root.querySelector(".pe-both-scroll");
  if (!drawn) return;
  const bar = view.root.querySelector(".pe-versus-bar");
  const above = getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0; // what stays lies on what scrolls
  drawn.style.scrollMarginTop = `calc(var(--pe-tabs, 0px) + ${above}px)`;
  drawn.scrollIntoView({ block: view.act.presents ? "start" : "nearest" });
}

const versusNote = (text) => el("span", { class: "pe-quiet pe-fine" }, text);
const sideBadge = (side) =>
  el(
    "span",
    { class: `pe-side pe-inline pe-rigid ${side.toLowerCase()}`, role: "img", "aria-label": `Run ${side.toUpperCase()}` },
    side.toUpperCase(),
  );

function versusSection(title, ...rest) {
  return el("div", { class: "pe-versus-head pe-row pe-wrap pe-tinted pe-edged" }, el("h3", {}, title), ...rest);
}

function inHalves(contents, kind = "") {
  return el(
    "div",
    { class: `pe-halves ${kind}` },
    SIDES.map((side) => el("div", { role: "group", "aria-label": `Run ${side.toUpperCase()}` }, contents(side))),
  );
}

// What only one side has is underlined: solid for A, dashed for B; those who hear it are told by a word.
function onlyOn(only, side, ...children) {
  const inner = children.flat(Infinity);
  if (!only) return inner;
  const spoken = el("span", { class: "pe-hear" }, `only in ${side.toUpperCase()}: `);
  return el("span", { class: `pe-only ${side}` }, spoken, inner);
}

// A text of any length: cut to some lines, whole in its tooltip.
function cutText(text, lines, props = {}) {
  const shown = text.length > MOST_SHOWN ? text.slice(0, MOST_SHOWN) + "…" : text;
  const style = { webkitLineClamp: lines };
  const name = `pe-cut pe-slim pe-anywhere ${props.class ?? ""}`;
  return el("span", { ...props, class: name, dir: "auto", title: text, style }, shown);
}

function runHead(view, found, side) {
  const run = found[side];
  const facts = [run.name && run.title, whenOf(run.when), ...run.spent].filter(Boolean).join(" · ");
  const open = { title: `Open this run: ${run.title}`, onclick: () => view.act.past(run.iri) };
  return [
    el(
      "div",
      { class: "pe-run-head pe-row pe-wrap" },
      sideBadge(side),
      button({ class: "pe-link pe-run-title pe-slim", ...open }, cutText(run.name || run.title, 2)),
      el("span", { class: "pe-quiet pe-run-facts pe-fine" }, run.ended && [el("b", {}, run.ended), " · "], facts),
    ),
    run.left.length > 0 && el("p", { class: "pe-run-left pe-fine pe-anywhere" }, `Asked without ${run.left.join("; ")}`),
    found.question === null && cutText(run.question, 2, { class: "pe-run-asked" }),
  ];
}

function answerHalf(view, run, side) {
  if (run.none) return el("p", { class: "pe-quiet pe-said pe-scroll pe-anywhere", dir: "auto" }, run.none);
  const parts = run.answer.flatMap((part) => saidPart(view, part, side));
  const label = `Answer of run ${side.toUpperCase()}`;
  const props = { class: "pe-said pe-scroll pe-anywhere", tabindex: 0, role: "group", "aria-label": label, dir: "auto" };
  const sure = run.says && el("span", { class: `pe-pill pe-badge ${run.level}`, title: "How the answer came out" }, BADGE_SIGNS[run.level], run.says);
  const found = run.reviewed && el("span", { class: `pe-pill pe-badge ${run.reviewed.level}`, title: run.reviewed.tip }, BADGE_SIGNS[run.reviewed.level], run.reviewed.text);
  return [el("div", props, parts), el("div", { class: "pe-row pe-wrap pe-answered" }, sure, found, byline(run.author))];
}

function saidPart(view, part, side) {
  const cite = ({ n, row, tip }) => citeButton(n, tip, () => goToRow(view, row), { on: view.marked === row });
  const words = ({ text, cites }) => {
    const [, begin, last] = cites.length ? /^(.*?)(\S*)$/su.exec(text) : [null, text, ""]; // a number stands on the line of its words
    return [begin.trim() ? el("bdi", {}, begin) : begin, cites.length > 0 && el("span", { class: "pe-nowrap" }, el("bdi", {}, last), cites.map(cite))];
  };
  return onlyOn(part.only, side, part.runs.map(words));
}

function ideasHalf(run, side) {
  if (!run.ideas.length) return el("span", { class: "pe-quiet" }, "none recorded");
  const line = (idea) => el("li", { title: idea.text }, onlyOn(idea.only, side, cutText(idea.text, 2)));
  return el("ul", { class: "pe-row-of pe-wrap pe-plain ideas" }, run.ideas.map(line));
}

function sourcesHalf(view, run, side) {
  if (!run.sources.length) return el("span", { class: "pe-quiet" }, "no source recorded");
  const line = (source) => {
    const place = ({ lead, text, only }) => [
      ", ",
      lead && `${lead} `,
      source.only ? text : onlyOn(only, side, text),
    ];
    const title = onlyOn(source.only, side, el("bdi", { title: source.title }, source.title));
    const words = el("span", { class: "pe-source-words pe-slim pe-scroll pe-anywhere" }, title, source.places.map(place));
    return el("li", {}, icon("Document", view.store.looks, 16), words);
  };
  return el("ul", { class: "pe-row-of pe-wrap pe-plain sources" }, run.sources.map(line));
}

function goToRow(view, row) {
  changeCompare(view, { marked: row, way: "Table" });
  const found = view.root.querySelector(`[data-row="${row}"]`);
  found?.scrollIntoView({ block: "center", behavior: still() ? "auto" : "smooth" });
  found?.querySelector("button").focus({ preventScroll: true });
}
