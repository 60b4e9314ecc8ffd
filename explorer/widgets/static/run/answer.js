// The answer: its text with numbered citations, who wrote it, what is quoted in it, and whether it answers.
function answerView(store, act) {
  const body = el("div", { class: "pe-body pe-scroll", tabindex: 0, "aria-label": "Answer" });
  const root = el("section", { class: "pe-panel pe-stack pe-slim pe-answer pe-rigid", "aria-label": "Answer" });
  const headLine = el("div", { class: "pe-head pe-row pe-rigid pe-slim pe-tinted" });
  root.append(headLine, body);
  const draw = () => {
    const { answer } = store;
    const badges = (answer.badges || []).map((badge) => badgeButton(badge, act));
    fill(headLine, el("h3", {}, "Answer"), byline(answer.author), grow(), badges, copyButton(store, body));
    const caret = answer.live && el("span", { class: "pe-caret" });
    const asked = isAnother(store) && el("p", { class: "pe-asked pe-quiet pe-fine", dir: "auto" }, answer.question);
    fill(body, asked, answer.text ? el("p", {}, sentences(store, act), caret) : waiting(store));
  };
  return { root, draw };
}

// The bar may hold the next question already.
const isAnother = ({ mode, bar, answer }) =>
  mode === "ask" && Boolean(bar && answer.question) && bar.question.trim() !== answer.question.trim();

function waiting(store) {
  const words =
    store.state === "start"
      ? "The answer appears here. Each number in it leads to the fact it rests on."
      : store.state === "running"
        ? "Written once the facts are found."
        : "No answer was written.";
  return el("p", { class: "pe-quiet" }, words);
}

// Selects what a badge was computed from.
function badgeButton({ text, level, node, tip }, act) {
  const sign = { sure: "✓ ", weak: "~ " }[level] || "";
  const look = `pe-pill pe-inline pe-rigid pe-nowrap pe-badge ${level}`;
  return button({ class: look, title: tip, onclick: () => act.select(node) }, sign + text);
}

function sentences(store, act) {
  const { text, runs } = store.answer;
  if (!runs) return [text];
  return runs.map((run) => {
    const marked = run.cites.some(({ node }) => node === store.selected);
    return el(
      "span",
      { class: marked ? "pe-sentence on" : "pe-sentence" },
      run.text,
      run.cites.map((cite) => citation(cite, store, act)),
      run.mark && wordMark(run.mark),
    );
  });
}

// How far the words of a model's sentence stand in its source; nobody says that it follows from there.
function wordMark({ level, text }) {
  const sign = { found: "”", near: "≈", none: "∅" }[level];
  return el("span", { class: "pe-quiet pe-mark", "data-sign": sign, title: text, role: "img", "aria-label": text });
}

function citation({ n, node, tip }, store, act) {
  const on = node === store.selected;
  return citeButton(n, tip, () => act.select(node), { on, "aria-pressed": String(on) });
}
