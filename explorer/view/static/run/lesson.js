// Teach: a run that waits after each stage, what the stage was for and why it came out so, and the ways on.
const EXPLAINED = new Set(["EdgeSelection", "ChunkSelection"]); // what a step kept, which is explained one by one

// A message in pieces: first the step with its lesson, as live, then what it kept one by one, each with where it was found;
// where that was is told once all of it is there.
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
  const { t, run, seq, state, log = [] } = delta;
  const pieces = parts.map((part, at) => ({ ...(at ? { t, run, seq, state, piece: kept[at - 1].id } : delta), ...part }));
  pieces[0].log = log.slice(0, 1);
  pieces.at(-1).log = log.slice(1);
  return pieces;
}

const teaches = (store) => store.mode !== "documents" && Boolean(lessonsOf(store)?.teaches);

// Whether a class is taught and asked: as the bar has it, or in a saved page that page by itself.
const lessonsOf = ({ bar, lessons }) => bar ?? lessons;

function changeLessons(store, change) {
  if (store.bar) return changeBar(store, change);
  Object.assign(store.lessons, change);
  return store.tell("bar");
}

// What is being said: of a stage that has ended, of one thing that it kept, of what comes next, and at last of the answer.
function lessonOf(store) {
  const { frames, at, state, note, teaching, waiting } = store;
  if (!waiting && (!teaches(store) || (store.mode === "past" && !frames))) return null;
  const node = store.nodes.get(store.piece);
  if (waiting || (frames && at > 0 && at < lastFrame(store))) {
    return node ? lessonOn(store, node) : (teaching ?? spoken("Teach", TO_PLAY));
  }
  if (frames) return at ? atTheEnd(store) : spoken("Teach", TO_PLAY);
  if (state === "running") return note ? { ...note, kind: null, why: "" } : spoken("Teach", TO_ASK);
  if (!isOver(store)) return spoken("Teach", TO_ASK);
  return store.told ? atTheEnd(store) : spoken("Teach", TO_PLAY_IT);
}

const TO_ASK = "Ask a question: the run waits after each stage, and explains it.";
const TO_PLAY_IT = "“From the start”, or the key →, explains this run stage by stage.";
const TO_PLAY = "Next stage begins; Back returns to the stage before.";
const TO_CLICK = "Click anything to see where it comes from.";
const STOPPED_HERE = "The run was stopped here. What is shown is on record.";

// The last stage, with which the run is over.
function atTheEnd({ state, teaching }) {
  if (state === "stopped" || !teaching) return spoken("The end", state === "stopped" ? STOPPED_HERE : TO_CLICK);
  return { ...teaching, text: `${teaching.text} ${TO_CLICK}` };
}

const spoken = (word, text) => ({ kind: null, word, text, why: "" });

// What a node says: its fact, its words, or its lines.
function wordsOfNode({ lines, detail: { rows } }) {
  const [triple, quote] = ["triple", "quote"].map((kind) => rows.find(({ k }) => k === kind));
  if (triple) return `${triple.s.text} — ${triple.p.text} → ${triple.o.text}`;
  return quote ? `“${quote.text}”` : lines.map(([, text]) => text).join(" ");
}

const whyOf = ({ detail: { rows } }) => rows.find((row) => row.k === "text" && row.label?.startsWith("Why"))?.text ?? "";

// One thing that was kept: what it is, and why, as its detail says it.
function lessonOn(store, node) {
  const { id, name, kind, say, level, detail } = node;
  const [words, why] = [wordsOfNode(node), whyOf(node)];
  const text = why ? words : `${words}: ${say}`;
  return { kind, word: detail.heading || name, text, why, node: id, inside: isInRun(store, level) };
}

// A drawing may also be that of what was too much for another, which is of the same run.
const TOO_MUCH = new Set(["Rest", "Near", "More", "Folded"]);

function isInRun({ nodes }, level) {
  const fold = nodes.get(level);
  return Boolean(level) && !(TOO_MUCH.has(fold?.kind) && !isInRun({ nodes }, fold.level));
}

// What is lit while it is explained, as long as nobody has selected something else.
function taughtNode(store) {
  const { waiting, quiz, piece, teaching, nodes } = store;
  const id = waiting && !quiz ? (piece ?? teaching?.node) : null;
  return nodes.has(id) ? id : null;
}

const litNode = (store) => store.selected ?? taughtNode(store);

// What the stage that is explained kept, as far as it is there.
const keptOf = (store) => children(store, store.teaching?.node, "selected").filter((id) => store.nodes.has(id));

// Where a class stops in a run: at each stage, before it where it is asked, and then at each thing that it kept; also within a
// folded run. What is no stage of the run itself is passed on the way from `step` to step.
function stopsOf(store) {
  const frames = framesOf(store);
  const asked = (at, quiz) => (quiz && lessonsOf(store).quizzes ? [{ at, quiz, piece: null, step: false }] : []);
  const stops = frames.flatMap(({ piece, quiz, teaching }, begun) => {
    if (piece) return [];
    const found = asked(begun - 1, quiz);
    if (!teaching || (!teaching.inside && store.looks.kinds[teaching.kind].end)) return found;
    const at = lastPieceOf(frames, begun);
    const [nodes, arcs] = ["nodes", "arcs"].map((part) => frames.slice(begun, at + 1).flatMap((frame) => frame[part] ?? []));
    const there = new Set(nodes.map(({ id }) => id));
    const isKept = ({ from, to, kind }) => kind === "selected" && from === teaching.node && there.has(to);
    const kept = arcs.filter(isKept).map(({ to }) => to);
    const stop = (piece) => ({ at, quiz: null, piece, id: piece ?? teaching.node, step: Boolean(piece) || teaching.inside });
    return [...found, ...[null, ...kept].map(stop)];
  });
  return [...stops, ...asked(frames.length - 1, store.due)];
}

// Those before what is explained, the nearest first, or those after it.
function stopsFrom(store, forward) {
  const stops = stopsOf(store);
  const { at, quiz, piece, waiting } = store;
  const here = waiting ? stops.findIndex((one) => one.at === at && one.quiz === quiz && one.piece === piece) : -1;
  const isBefore = (one, number) => (here < 0 ? one.at <= at : number < here);
  if (!forward) return stops.filter(isBefore).reverse();
  return stops.filter((one, number) => number !== here && !isBefore(one, number));
}

const lessonBefore = (store) => stopsFrom(store, false).find(({ id, step }) => !step || store.explained.has(id));

// All that a stage kept is there at once, and is lit one by one.
function showStop(store, { at, quiz, piece, id }) {
  if (at < store.at) playTo(store, at);
  while (store.at < at) playTo(store, store.at + 1);
  store.explained.add(id);
  Object.assign(store, { waiting: true, quiz, piece });
  store.tell("taught");
}

// A step is called by what it explains: what was kept, or what an agent did.
function stepWord(store) {
  const kind = store.nodes.get(stopsFrom(store, true)[0]?.piece)?.kind;
  return `Next ${{ ChunkSelection: "passage", EdgeSelection: "fact" }[kind] ?? "step"}`;
}

// Whether a step comes before the next stage; of a live run of an agent nobody knows.
function hasSteps(store) {
  if (!store.waiting || store.quiz) return false;
  const [next] = stopsFrom(store, true);
  if (next || store.frames) return Boolean(next?.step);
  return [...store.nodes.values()].some(({ kind }) => kind === "PatternDecision");
}

const hasEarlier = (store) =>
  store.frames ? store.at > 0 : store.told && (store.waiting || store.state !== "running") && Boolean(lessonBefore(store));

function lessonView(store, act) {
  const said = { "aria-live": "polite" };
  const title = el("div", { class: "pe-lesson-title pe-slim", ...said });
  const words = el("div", { class: "pe-lesson-words pe-scroll", tabindex: 0, "aria-label": "What is explained", ...said });
  const [asked, foot] = [el("div", "pe-asked-first pe-scroll"), el("div", "pe-quiz-foot")];
  const way = (look, title, onclick, words = null, key = null) => button({ class: look, title, onclick, "aria-keyshortcuts": key }, words);
  const arrow = (sign) => el("span", { "aria-hidden": "true" }, sign);
  const able = (one) => one.getAttribute("aria-disabled") !== "true";
  const on = (by) => () => able(by === "step" ? step : further) && act.next(by);
  const goesOn = () => asks?.compares() || on(store.piece && hasSteps(store) ? "step" : "stage")(); // who goes from fact to fact goes on so
  const goesBack = () => able(back) && act.backALesson();
  const back = way("pe-btn", "Back to what was explained before", goesBack, [arrow("← "), "Back"], "ArrowLeft");
  const step = way("pe-btn", "Explain what was kept one by one, and the steps inside a folded run", on("step"));
  const further = way("pe-btn go", "Go on to the next stage of the run", on("stage"));
  const keys = { ArrowRight: goesOn, PageDown: goesOn, ArrowLeft: goesBack, PageUp: goesBack };
  const again = way("pe-btn go", "Play this run from the beginning", () => act.playAgain(), "From the start");
  const quizzes = quizSwitch(store, act);
  const ways = el("div", "pe-lesson-ways pe-row pe-gap-m pe-wrap", step, quizzes.root, back, further, again);
  const inner = el("div", "pe-lesson-in pe-edged", title, ways, words, asked, foot);
  const root = el("section", { class: "pe-lesson pe-rigid pe-slim", "aria-label": "Lesson" }, inner);
  const keep = keeping();
  let [waited, begun, asks] = [false, null, null]; // begun: the frames of which something was explained; asks: the quiz on show
  const draw = () => {
    const lesson = lessonOf(store);
    if (!lesson && focusIn(root)) act.view.graph.canvas.focus({ preventScroll: true });
    root.hidden = !lesson;
    if (!lesson) return;
    const isFirst = store.waiting && !waited && !hasEarlier(store);
    waited = store.waiting;
    if (store.waiting) begun = store.frames;
    const quiz = store.waiting && store.quiz;
    const [shown] = keep([[JSON.stringify(quiz || lesson), () => (quiz ? quizOn(quiz, store) : lessonWords(lesson, store))]]);
    asks = quiz ? shown : null;
    const isNew = words.firstChild !== shown.words;
    fill(title, shown.title);
    fill(quiz ? asked : words, shown.words);
    fill(foot, shown.foot);
    if (!quiz && isNew) words.scrollTop = 0;
    words.hidden = Boolean(quiz);
    asked.hidden = foot.hidden = !quiz;
    quizzes.draw();
    const over = isOver(store);
    const goes = store.waiting || (Boolean(store.frames) && !over);
    const steps = hasSteps(store);
    step.hidden = !steps; // where there is none between this stage and the next
    const onward = steps && Boolean(store.piece); // the key goes on from fact to fact
    fill(step, stepWord(store), onward && arrow(" →"));
    fill(further, "Next stage", !onward && arrow(" →"));
    step.ariaKeyShortcuts = onward ? "ArrowRight" : null;
    further.ariaKeyShortcuts = onward ? null : "ArrowRight";
    for (const [one, can] of [[back, hasEarlier(store)], [step, steps], [further, goes]]) one.setAttribute("aria-disabled", String(!can));
    further.hidden = over;
    again.hidden = !over;
    if (isFirst && focusIn(act.view.parts.bar.root)) further.focus({ preventScroll: true }); // else a key may press Stop
  };
  // Whether a key leads on or back; it may have nowhere to lead.
  const press = (key) => {
    if (root.hidden || !keys[key]) return false;
    const isBack = keys[key] === goesBack;
    const isNew = store.frames ? begun !== store.frames : !store.told; // as one who turned it on sees it
    const begins = !isBack && !again.hidden && isNew;
    const goes = store.waiting || (isBack ? hasEarlier(store) : Boolean(store.frames) && !isOver(store));
    if (begins) act.playAgain();
    else if (goes) keys[key]();
    return begins || goes;
  };
  // Who turned it on goes on with the same key.
  const begin = () => !root.hidden && [again, further].find((one) => !one.hidden && able(one))?.focus({ preventScroll: true });
  return { root, draw, press, begin };
}

// At its end a run can be played again: a live one too, from its record.
function isOver(store) {
  if (store.frames) return store.at === lastFrame(store) && !store.waiting;
  return !store.waiting && !["start", "running"].includes(store.state) && store.live;
}

// A switch that says whether it is on.
function quizSwitch(store, act) {
  const turn = (quizzes) => {
    changeLessons(store, { quizzes });
    if (!quizzes && store.waiting && store.quiz) act.next("stage"); // what is asked is shown instead
  };
  const box = el("input", { type: "checkbox", role: "switch", onchange: () => turn(box.checked) });
  const said = el("span", {});
  const title = "Before what was kept is shown, let the class guess";
  const root = el("label", { class: "pe-switch pe-row pe-gap-m pe-line", title }, box, said);
  const draw = () => {
    root.hidden = !lessonsOf(store);
    box.checked = Boolean(lessonsOf(store)?.quizzes);
    fill(said, box.checked ? "Quiz: on" : "Quiz: off");
  };
  return { root, draw };
}

// "Tick the 2 of these 5 facts that you think the run kept", asked before it is shown. Who comes back to it finds it as it was left.
function quizOn(quiz, store) {
  const { question, choices, basis } = quiz;
  const left = store.quizzed.get(quiz) ?? { picked: new Set(), compared: false };
  store.quizzed.set(quiz, left);
  const { picked } = left;
  const rows = choices.map((choice, at) => {
    const tick = (event) => (event.target.checked ? picked.add(at) : picked.delete(at));
    const box = el("input", { type: "checkbox", checked: picked.has(at), onchange: tick });
    const right = el("span", "pe-quiz-more");
    const quote = choice.quote && el("q", "pe-quiz-more pe-quiz-said", choice.quote);
    const where = choice.where && el("span", "pe-quiz-more pe-quiet", choice.where);
    const label = el("label", "pe-top pe-gap-m", box, el("span", {}, choice.text, quote, where, right));
    return { choice, box, right, line: el("li", {}, label) };
  });
  const said = el("span", { role: "status" });
  const title = el("b", {}, glossed(question, store));
  const compare = () => {
    left.compared = true;
    check.hidden = true;
    fill(title, "What the run kept");
    compareQuiz(rows, picked, store);
    const kept = rows.filter(({ choice }) => choice.kept).length;
    const right = rows.filter(({ choice }, at) => picked.has(at) && choice.kept).length;
    const wrong = picked.size - right;
    const ticked = `you ticked ${right} of them${wrong ? `, and ${wrong} of the others` : ""}`;
    fill(said, el("b", {}, `Of these ${rows.length}, ${kept} ${kept === 1 ? "was" : "were"} kept; ${ticked}.`), ` ${basis}`);
  };
  const compares = () => picked.size > 0 && !left.compared && (compare(), true); // first, where something was ticked
  const check = smallButton("Compare with the run", compare);
  const list = el("ul", { class: "pe-quiz pe-plain", role: "group", "aria-label": question }, rows.map(({ line }) => line));
  if (left.compared) compare();
  return { title, words: list, foot: el("div", "pe-row pe-wrap", check, said), compares };
}

// What the run did and what was ticked, in words: [kept][ticked].
const COMPARED = { true: { true: "Kept, ticked", false: "Kept, not ticked" }, false: { true: "Not kept, ticked", false: "Not kept" } };

function compareQuiz(rows, picked, store) {
  rows.forEach(({ choice, box, right, line }, at) => {
    box.disabled = true;
    line.className = choice.kept ? "kept" : "";
    const compared = COMPARED[choice.kept][picked.has(at)];
    fill(right, el("b", {}, `${compared}${choice.score && `: score ${choice.score}`}.`), " ", glossed(choice.why, store));
  });
}

function lessonWords({ word, text, why, figures, inside }, store) {
  const within = inside && el("span", "pe-pill pe-inline", "within the run");
  const title = el("div", {}, el("b", {}, word), within && " ", within);
  const reason = why && el("p", {}, el("b", {}, "Why? "), glossed(why, store));
  const small = figures && el("p", "pe-lesson-figures", glossed(figures, store));
  return { title, words: el("div", {}, el("p", {}, glossed(text, store)), reason, small) };
}
