// The answer: its text with numbered citations, who wrote it, what is quoted in it, and whether it answers.
// `tools`: what can be done with it and its graph, at the end of its first line.
function answerView(store, act, tools = null) {
  const body = el("div", { class: "pe-body pe-scroll", tabindex: 0, "aria-label": "Answer" });
  const root = el("section", { class: "pe-panel pe-stack pe-slim pe-answer pe-rigid", "aria-label": "Answer" });
  const headLine = el("div", "pe-outcome pe-row pe-gap-l pe-wrap pe-slim");
  const card = quoteCard(store);
  const [end, more] = [el("div", "pe-answer-end"), moreButton(body)];
  // An answer that is longer than its room says so, as long as its end is out of sight: nothing is measured for that.
  const seen = (changes) => (more.hidden = changes.at(-1).isIntersecting); // several, where the machine is busy
  new IntersectionObserver(seen, { root: body }).observe(end);
  const said = el("div", "pe-answer-said pe-top pe-rigid");
  root.append(headLine, said, card.root);
  body.addEventListener("scroll", card.hide);
  const draw = () => {
    const { answer } = store;
    card.hide();
    const found = store.reviewed && answer.runs && !store.audits && { ...store.reviewed, more: "pe-reviewed" };
    const badges = [...(answer.badges ?? []), found].filter(Boolean).map((badge) => badgeButton(badge, store, act));
    root.hidden = store.state === "start" && !answer.text;
    const about = [...badges, correctionsOf(answer, store, act), limitedTo(answer, store, act)].filter(Boolean);
    const ways = store.nodes.size > 0 && tools; // with nothing to say of the answer they stand beside it
    headLine.hidden = !about.length;
    fill(headLine, about, !headLine.hidden && ways);
    fill(said, body, more, headLine.hidden && ways);
    const caret = answer.live && el("span", "pe-caret");
    const asked = isAnother(store) && el("p", { class: "pe-asked pe-quiet pe-fine", dir: "auto" }, answer.question);
    fill(body, asked, answer.text ? el("p", {}, sentences(store, act, card), caret) : waiting(store), end);
  };
  return { root, draw };
}

// A piece of an answer changes nothing else, unless a class is taught: to paint the graph again would take most of the time.
const isText = (store, { answer, state, whole, nodes, arcs }) =>
  Boolean(answer?.append) && state === "running" && !whole && !nodes.length && !arcs.length && !teaches(store);

// On by what is in sight, but for a line of it.
function moreButton(body) {
  const onclick = () => {
    const { lineHeight } = getComputedStyle(body);
    body.scrollBy({ top: body.clientHeight - Number.parseFloat(lineHeight), behavior: still() ? "instant" : "smooth" });
  };
  return button({ class: "pe-answer-more pe-link", title: "The answer goes on below", hidden: true, onclick }, "more ↓");
}

// Of one that a correction touched: where all of them are listed.
const correctionsOf = ({ corrected }, store, act) =>
  corrected && canAsk(store) && linkButton("Corrections", act.corrections, { class: "pe-fine", title: CORRECTIONS });

// What was left out for it, and which documents alone were searched.
function limitedTo({ how, notes, limited, question }, store, act) {
  if (!limited) return null;
  const searchAll = () => {
    changeBar(store, { within: {} });
    act.ask(question);
  };
  const isLimited = store.mode === "ask" && store.bar && Object.keys(store.bar.within).length > 0;
  return [
    el("span", { class: "pe-fine pe-weakly pe-ell pe-beside", title: [how, ...(notes ?? [])].join("\n") }, limited),
    isLimited && linkButton("Ask in all documents", searchAll, { class: "pe-fine" }),
  ];
}

// The bar may hold the next question already.
const isAnother = ({ mode, bar, answer }) =>
  mode === "ask" && Boolean(bar && answer.question) && bar.question.trim() !== answer.question.trim();

const WAITING = { start: "The answer appears here.", running: "The answer comes last, from what is kept." };

const waiting = ({ state }) => el("p", "pe-unwritten pe-quiet", WAITING[state] ?? "No answer was written.");

const BADGE_SIGNS = { answered: "✓ ", sure: "✓ ", unsure: "? ", "not-found": "∅ ", related: "~ ", bad: "✗ " };

const outcomeBadge = (level, words, title = "How the answer came out") =>
  el("span", { class: `pe-pill pe-badge ${level}`, title }, BADGE_SIGNS[level], words);

// Selects what a badge was computed from; what was counted, and who judged, opens under the mouse and with the focus.
function badgeButton({ level, node, tip, text, beside, more = "" }, store, act) {
  const look = `pe-pill pe-inline pe-rigid pe-nowrap pe-badge ${level} ${more}`;
  const held = button({ class: look, onclick: () => act.select(node) }, `${BADGE_SIGNS[level] ?? ""}${text}`);
  const badge = explainedBy(el("span", "pe-inline pe-rigid", held), held, tip, store);
  return beside ? [badge, el("span", "pe-fine pe-beside", beside)] : badge;
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
  const props = { role: "button", tabindex: 0, onclick: choose, onkeydown: onPress(() => act.select(node)) };
  const words = el("span", { class: "pe-claim", ...props }, text);
  return withCard(words, cites.flatMap(({ quote }) => quote ?? []), key, card);
}

// What a model's sentence says and its source does not; where its words stand there, that needs no remark.
function wordMark({ level, text }) {
  if (level === "found") return null;
  const became = { corrected: "fact changed since", removed: "source removed", "not-compared": "–" };
  return el("span", { class: "pe-quiet pe-mark", "data-sign": became[level] ?? `(${text})`, title: text, role: "img", "aria-label": text });
}

function citation({ n, node, tip, of, quote }, sentence, key, store, act, card) {
  const on = node === store.selected || of.includes(store.selected);
  const number = citeButton(n, tip, () => act.select(node, sentence), { on, title: null, "aria-pressed": String(on) });
  return withCard(number, quote ? [quote] : [], key, card);
}

// As plain text, with its sources numbered as it cites them.
async function copyAnswer(store, say) {
  const isCopied = await copied(answerText(store));
  say(isCopied ? "The answer and its sources are copied." : "This page may not copy: mark the answer and press Ctrl+C.");
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
    const part = run.mark && BADGE_SIGNS[run.mark.level] && `(${run.mark.text})`; // which came out otherwise
    const behind = joinWords([numbers, part], " ");
    return behind ? `${run.text.trimEnd()} ${behind}${/\s$/.test(run.text) ? " " : ""}` : run.text;
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
