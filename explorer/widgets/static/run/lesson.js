// Teach: a run that waits after each stage, what the stage was for and why it came out so, and the ways on.
const EXPLAINED = new Set(["EdgeSelection", "ChunkSelection"]); // what a step kept, which is explained one by one

// A message in pieces: first the step, then what it kept one by one, each with where it was found, and last the lesson.
function inPieces(delta) {
  const kept = (delta.nodes ?? []).filter(({ kind }) => EXPLAINED.has(kind));
  if (kept.length < 2) return [delta];
  const sources = new Map();
  for (const { from, to, kind } of delta.arcs ?? []) {
    if (kind === "source") sources.set(from, [...(sources.get(from) ?? []), to]);
  }
  const turn = new Map();
  const take = (id, at) => {
    if (turn.has(id)) return;
    turn.set(id, at);
    for (const source of sources.get(id) ?? []) take(source, at);
  };
  kept.forEach(({ id }, at) => take(id, at + 1));
  const parts = Array.from({ length: kept.length + 1 }, () => ({ nodes: [], arcs: [] }));
  const turnOf = (id) => turn.get(id) ?? 0;
  for (const node of delta.nodes) parts[turnOf(node.id)].nodes.push(node);
  for (const arc of delta.arcs ?? []) parts[Math.max(turnOf(arc.from), turnOf(arc.to))].arcs.push(arc);
  const { teaching, ...step } = delta;
  const { t, run, seq, state } = delta;
  const pieces = parts.map((part, at) => ({ ...(at ? { t, run, seq, state, piece: kept[at - 1].id } : step), ...part }));
  return teaching ? [...pieces, { t, run, seq, state, teaching }] : pieces;
}

const teaches = (store, player) => (store.frames ? player.teaches : store.mode === "ask" && Boolean(store.bar?.teaches));

// What is being said: of a stage that has ended, of one thing that it kept, or while the run goes on of what comes next.
function lessonOf(store, player) {
  const { waiting, frames, state, note, teaching } = store;
  const node = store.nodes.get(store.piece);
  if (waiting || (frames && teaches(store, player) && store.at > 0)) return node ? lessonOn(node) : teaching;
  return !frames && teaches(store, player) && state === "running" && note ? { ...note, kind: null, why: "" } : null;
}

// One thing that was kept: what it is, and why, as its detail says it.
function lessonOn({ id, kind, name, say, level, lines, detail: { heading, rows } }) {
  const why = rows.find((row) => row.k === "text" && row.label?.startsWith("Why"))?.text ?? "";
  const triple = rows.find((row) => row.k === "triple");
  const quote = rows.find((row) => row.k === "quote");
  const said = quote ? `“${quote.text}”` : lines.map(([, text]) => text).join(" ");
  const words = triple ? `${triple.s.text} — ${triple.p.text} → ${triple.o.text}` : said;
  return { kind, word: heading || name, term: "", text: `${words}${why ? "" : `: ${say}`}`, why, node: id, inside: Boolean(level) };
}

// What is lit while it is explained, as long as nobody has selected something else.
function taughtNode({ waiting, quiz, piece, teaching, nodes }) {
  const id = waiting && !quiz ? (piece ?? teaching?.node) : null;
  return nodes.has(id) ? id : null;
}

const litNode = (store) => store.selected ?? taughtNode(store);

// Live, all that a stage kept is there at once, and is lit one by one.
function nextLesson(store, by) {
  if (by === "step" && !store.quiz) {
    const kept = children(store, store.teaching?.node, "selected").filter((id) => store.nodes.has(id));
    const next = kept[kept.indexOf(store.piece) + 1];
    if (next) {
      store.piece = next;
      return store.tell("taught");
    }
  }
  return store.send({ t: "next", by });
}

// To what is explained, also inside a folded run, and there into sight.
function showLesson({ store, graph }) {
  const id = taughtNode(store);
  if (!id) return;
  if (store.selected) clearSelection(store);
  goTo(store, id);
  if (areHere(store, id)) reveal(graph, store, id);
  redraw(graph, store);
}

function lessonView(store, act) {
  const { player } = act;
  const words = el("div", { class: "pe-lesson-words pe-share pe-slim", "aria-live": "polite" });
  const way = (by, look, label) =>
    button({ class: look, title: label, onclick: () => store.waiting && act.next(by) }, by === "step" ? "Next step" : "Next stage");
  const step = way("step", "pe-btn", "Explain the next step, also what was kept one by one, and inside a folded run");
  const stage = way("stage", "pe-btn go", "Go on to the next stage of the run");
  const onclick = () => changeBar(store, { quizzes: !store.bar.quizzes });
  const asks = button({ class: "pe-btn", title: "Ask the class what it would keep, before it is shown", onclick }, "Quiz");
  const ways = el("div", { class: "pe-lesson-ways pe-row pe-wrap pe-rigid" }, asks, step, stage);
  const root = el("section", { class: "pe-lesson pe-top pe-slim pe-edged", "aria-label": "Lesson" }, words, ways);
  const keep = keeping();
  const draw = () => {
    const lesson = lessonOf(store, player);
    if (!lesson && root.contains(document.activeElement)) act.view.graph.canvas.focus({ preventScroll: true });
    root.hidden = !lesson;
    if (!lesson) return;
    const quiz = store.waiting && store.quiz;
    const line = [quiz ? JSON.stringify(quiz) : JSON.stringify(lesson), () => (quiz ? quizOn(quiz, store) : lessonWords(lesson, store))];
    fill(words, keep([line]));
    ways.classList.toggle("pe-away", Boolean(store.frames) && !store.waiting);
    asks.hidden = !store.bar;
    press(asks, "aria-pressed", Boolean(store.bar?.quizzes));
    for (const one of [step, stage]) one.setAttribute("aria-disabled", String(!store.waiting));
  };
  return { root, draw };
}
