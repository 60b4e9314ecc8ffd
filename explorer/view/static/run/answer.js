// The answer: its text with numbered citations, who wrote it, what is quoted in it, and whether it answers.
function answerView(store, act) {
  const body = el("div", { class: "pe-body pe-scroll", tabindex: 0, "aria-label": "Answer" });
  const root = el("section", { class: "pe-panel pe-stack pe-slim pe-answer pe-rigid", "aria-label": "Answer" });
  const headLine = el("div", "pe-head pe-row pe-rigid pe-slim pe-tinted");
  const card = quoteCard(store);
  const [end, more] = [el("div", "pe-answer-end"), moreButton(body)];
  watchEnd(body, end, more);
  root.append(headLine, el("div", "pe-answer-said pe-rigid", body, more), card.root);
  body.addEventListener("scroll", card.hide);
  const draw = () => {
    const { answer } = store;
    card.hide();
    const found = store.reviewed && answer.runs && { ...store.reviewed, more: "pe-reviewed" };
    const badges = [...(answer.badges ?? []), found].filter(Boolean).map((badge) => badgeButton(badge, store, act));
    fill(
      headLine,
      el("h3", { title: answer.how && `Made by: ${answer.how}` }, "Answer"),
      answer.how && madeBy(answer),
      byline(answer.author),
      grow(),
      badges,
      auditButton(store),
      copyButton(store, body),
    );
    const caret = answer.live && el("span", "pe-caret");
    const asked = isAnother(store) && el("p", { class: "pe-asked pe-quiet pe-fine", dir: "auto" }, answer.question);
    fill(body, asked, answer.text ? el("p", {}, sentences(store, act, card), caret) : waiting(store), end);
  };
  return { root, draw };
}

// A piece of an answer changes nothing else, unless a class is taught: to paint the graph again would take most of the time.
const isText = ({ told }, { answer, state, whole, nodes, arcs }) =>
  Boolean(answer?.append) && state === "running" && !whole && !nodes.length && !arcs.length && !told.length;

// On by what is in sight, but for a line of it.
function moreButton(body) {
  const onclick = () => {
    const { lineHeight } = getComputedStyle(body);
    body.scrollBy({ top: body.clientHeight - Number.parseFloat(lineHeight), behavior: still() ? "instant" : "smooth" });
  };
  return button({ class: "pe-answer-more pe-link", title: "The answer goes on below", hidden: true, onclick }, "more ↓");
}

// An answer that is longer than its room says so, as long as its end is out of sight: nothing is measured for that.
function watchEnd(root, end, more) {
  const seen = (changes) => (more.hidden = changes.at(-1).isIntersecting); // several, where the machine is busy
  new IntersectionObserver(seen, { root }).observe(end);
}

// The method that made it, and what was left out: How in the bar may say already what the next question is asked by.
function madeBy({ how, notes }) {
  const title = [`Made by: ${how}`, ...(notes ?? [])].join("\n");
  const look = how.includes(", without ") ? "pe-made pe-line pe-ell pe-weakly" : "pe-made pe-line pe-ell pe-quiet";
  return el("span", { class: look, title }, how);
}

// The bar may hold the next question already.
const isAnother = ({ mode, bar, answer }) =>
  mode === "ask" && Boolean(bar && answer.question) && bar.question.trim() !== answer.question.trim();

function waiting(store) {
  const words =
    store.state === "start"
      ? "The answer appears here. Click a sentence or a number in it to see what it rests on."
      : store.state === "running"
        ? "The answer comes last, from what is kept."
        : "No answer was written.";
  return el("p", "pe-quiet pe-unwritten", words);
}

const BADGE_SIGNS = { answered: "✓ ", sure: "✓ ", unsure: "? ", "not-found": "∅ ", related: "~ ", bad: "✗ " };

const outcomeBadge = (level, words, title = "How the answer came out") =>
  el("span", { class: `pe-pill pe-badge ${level}`, title }, BADGE_SIGNS[level], words);

// Selects what a badge was computed from; what was counted, and who judged, opens under the mouse and with the focus.
function badgeButton({ level, node, tip, short, more = "", ...badge }, store, act) {
  const look = `pe-pill pe-inline pe-rigid pe-nowrap pe-badge ${level} ${more}`;
  const by = badge.by && el("span", "pe-badge-by", `\u00a0· ${badge.by}`);
  const [sign, title] = [BADGE_SIGNS[level] ?? "", short && level ? `${badge.text}. ${tip}` : tip];
  const words = short ? [el("span", "pe-full", badge.text), el("span", "pe-short", short)] : badge.text;
  const held = button({ class: look, onclick: () => act.select(node) }, el("span", {}, sign, words), by);
  return explainedBy(el("span", "pe-inline pe-rigid", held), held, title, store);
}

function sentences(store, act, card) {
  const { text, runs } = store.answer;
  if (!runs) return [text];
  return runs.map((run, at) => {
    const mark = run.mark && wordMark(run.mark);
    if (!run.node) return el("span", {}, run.text, mark);
    const marked = run.node === store.selected || run.cites.some((cite) => cite.of.includes(store.selected));
    return el(
      "span",
      marked ? "pe-sentence on" : "pe-sentence",
      said(run, `said ${at}`, act, card),
      run.cites.map((cite) => citation(cite, run.node, `${at} ${cite.n}`, store, act, card)),
      mark,
      lastOf(runs, at) && verdictSigns(store, run.node, act),
    );
  });
}

// A sentence with remarks in it is told in several runs: whether this is its last.
const lastOf = (runs, at) => runs.findLastIndex(({ node }) => node === runs[at].node) === at;

// The words of a sentence are a button, and a text that can be marked and copied.
function said({ text, node, cites }, key, act, card) {
  const choose = () => getSelection().isCollapsed && act.select(node);
  const onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act.select(node);
  };
  const words = el("span", { class: "pe-claim", role: "button", tabindex: 0, onclick: choose, onkeydown }, text);
  return withCard(words, cites.flatMap(({ quote }) => quote ?? []), key, card);
}

// How far the words of a model's sentence stand in its source; nobody says that it follows from there.
function wordMark({ level, text }) {
  const sign = { found: "”", near: "≈", none: "∅", corrected: "corrected since", removed: "source removed" }[level];
  return el("span", { class: "pe-quiet pe-mark", "data-sign": sign, title: text, role: "img", "aria-label": text });
}

function citation({ n, node, tip, of, quote }, sentence, key, store, act, card) {
  const on = node === store.selected || of.includes(store.selected);
  const number = citeButton(n, tip, () => act.select(node, sentence), { on, title: null, "aria-pressed": String(on) });
  return withCard(number, quote ? [quote] : [], key, card);
}

// Copying the answer as plain text, with its sources numbered as it cites them.
function copyButton(store, body) {
  const { answer } = store;
  if (!answer.text || answer.live) return null;
  const copy = button({ class: "pe-btn small pe-copying", title: "Copy the answer and its sources as plain text" }, "Copy");
  copy.addEventListener("click", async () => {
    const isCopied = await copied(answerText(store));
    if (!isCopied) getSelection().selectAllChildren(body);
    copy.textContent = isCopied ? "Copied" : "Selected: press Ctrl+C";
    setTimeout(() => (copy.textContent = "Copy"), 2000);
  });
  return copy;
}

// The clipboard is closed to pages that are not served safely, and to a person who said no.
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function answerText(store) {
  const { text, runs, outcome } = store.answer;
  if (!runs) return text;
  const cited = new Map();
  const spoken = runs.map((run) => {
    for (const { n, node } of run.cites) cited.set(n, node);
    const numbers = run.cites.map(({ n }) => `[${n}]`).join("");
    return numbers ? `${run.text.trimEnd()} ${numbers}${/\s$/.test(run.text) ? " " : ""}` : run.text;
  });
  const numbered = [...cited].sort(([a], [b]) => a - b);
  const lines = numbered.map(([n, node]) => `[${n}] ${placesOf(store, node)}`);
  return [...(outcome ? [outcome, ""] : []), spoken.join("").trim(), ...(lines.length ? ["", "Sources", ...lines] : [])].join("\n");
}

function placesOf(store, id) {
  const places = passagesOf(store, id).map((passage) => {
    const { title, where } = store.nodes.get(passage).passage;
    return where === "text" ? title : `${title}, ${where}`;
  });
  return [...new Set(places)].join("; ") || "no recorded source";
}
