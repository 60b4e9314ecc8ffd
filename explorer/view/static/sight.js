// What is brought into sight in the notebook: a run that begins, and a lesson with what it explains.
const WRITTEN = 110; // px that an answer takes more, once it is there: what is pressed before then stays where it is

// A run is there to be watched: where the graph lies below the window, the app moves up until all of it is in sight, but
// only so that a part begins where the question ends: of the stages one sees all or nothing, and the lesson whole. With
// Teach, whose switch and stages are to stay, some of the graph will do while a run begins. Who had scrolled past what is
// to be seen is brought back to it.
function bringUp(view, isTaught = teaches(view.store)) {
  const { root, run, graph, parts } = view;
  const places = [root, run, run.querySelector(".pe-main")];
  view.risen = places.find((place) => Math.abs(riseOf(view, place)) <= 1) ?? null; // from before: it stays there
  const { top, bottom: end } = graph.canvas.getBoundingClientRect();
  const told = stagesEnd(view) + parts.lesson.root.getBoundingClientRect().height;
  const bottom = isTaught ? Math.max(told, top) + LITTLE : end;
  const [, low] = portOf(root);
  const isPast = riseOf(view, isTaught ? run : graph.canvas) < -1;
  if (!isPast && bottom + (isTaught ? WRITTEN : 0) <= low + HAIR) return;
  view.risen = places.find((place) => bottom - riseOf(view, place) <= low) ?? places.at(isTaught ? 1 : -1);
  stayUp(view);
}

// What says why nothing was asked lies on nothing: who had scrolled on sees all from the question down.
function bringBack(view, said) {
  said.scrollIntoView({ block: "nearest", behavior: "instant" });
  if (view.act.presents || riseOf(view, view.root) >= -1) return;
  view.risen = view.root;
  stayUp(view);
}

// Where the row of stages ends: the lesson begins there, wherever it is stuck.
const stagesEnd = ({ run }) => run.querySelector(".pe-stage-row").getBoundingClientRect().bottom;

// By how much a part has to move up to begin where what stays in sight above it ends: the tabs, and the question.
function riseOf(view, part) {
  const { root, parts, act } = view;
  const isUnder = part.matches(".pe-main") && !parts.lesson.root.hidden; // and with a lesson that begins there
  const place = isUnder ? parts.lesson.root : part;
  const tabs = act.presents ? 0 : (root.closest(".pe-app")?.querySelector(".pe-tabs")?.offsetHeight ?? 0);
  const above = place === root ? tabs : Math.max(tabs, parseFloat(getComputedStyle(parts.lesson.root).top) || 0); // where a lesson is stuck
  const { top } = place.getBoundingClientRect();
  const begins = place === parts.lesson.root ? stagesEnd(view) : top;
  return begins - portOf(root)[0] - above;
}

// What was brought up stays in its place while what is above it gets another height, until somebody scrolls.
function stayUp(view) {
  const rise = riseToCome(view);
  if (Math.abs(rise) > 1) scrollOn(view, rise);
}

// How far what was brought up is from its place.
const riseToCome = (view) => (view.risen?.offsetParent ? riseOf(view, view.risen) : 0);

// From where it is now: it may be on its way from what was asked for before.
function scrollOn({ root }, by) {
  const scrolls = scrollsAround(root);
  scrolls.scrollTo({ top: scrolls.scrollTop + by, behavior: still() ? "instant" : "smooth" });
}

function keepingUp(view) {
  const over = new AbortController();
  const measured = new ResizeObserver(() => stayUp(view));
  const rows = [view.run.querySelector(".pe-stage-row"), view.parts.bar.root, view.parts.replay.root, view.parts.lesson.root];
  for (const row of rows) measured.observe(row);
  const free = ({ type, target }) => (type === "wheel" || type === "touchmove" || !view.root.contains(target)) && (view.risen = null);
  const listening = { capture: true, passive: true, signal: over.signal };
  for (const name of ["wheel", "touchmove", "pointerdown", "keydown"]) addEventListener(name, free, listening);
  return () => {
    over.abort();
    measured.disconnect();
  };
}

// From where to where one sees of the app, in the window: by what scrolls it, or all where it is presented.
function portOf(root) {
  if (root.classList.contains("presents")) return [0, innerHeight];
  const { top, bottom } = scrollsAround(root).getBoundingClientRect();
  return [Math.max(top, 0), Math.min(bottom, innerHeight)];
}

function scrollsAround({ parentElement: at }) {
  if (!at) return document.documentElement;
  const scrolls = at.scrollHeight > at.clientHeight && /auto|scroll/.test(getComputedStyle(at).overflowY);
  return scrolls ? at : scrollsAround(at);
}

// A lesson and what it explains, in sight and in their place.
// To what is explained, also inside a folded run, and there into sight: into what one sees of the canvas below the lesson,
// which the notebook is scrolled for where that is little, or where a quiz is not seen whole; but not under the pointer of
// who goes on from stage to stage.
const LITTLE = 180; // CSS pixels
const QUIZ_LEAST = 220; // of a quiz where less than that is free
const LESSON_EDGES = 14; // above and below what a lesson says

function showLesson(view) {
  const { store, graph } = view;
  const id = taughtNode(store);
  if (id && store.selected) clearSelection(store);
  if (id) goTo(store, id);
  if (!isHeldInPlace(view)) bringLesson(view);
  if (id && areHere(store, id)) revealFromStart(graph, store, id);
  redraw(graph, store);
}

// Once all was explained the graph, which is drawn anew, is to be seen.
function bringEnd(view) {
  if (view.waited && isOver(view.store)) bringUp(view, false);
  view.waited = view.store.waiting || (view.waited && !isOver(view.store));
}

// Whether a button of the lesson was pressed that one sees, with nothing of what is below behind it.
function isHeldInPlace({ root, parts, run }) {
  const held = document.activeElement;
  if (!parts.lesson.root.contains(held)) return false;
  const [high, low] = portOf(root);
  const { top, bottom } = held.getBoundingClientRect();
  const isBelow = run.querySelector(".pe-main").getBoundingClientRect().top > parts.lesson.root.getBoundingClientRect().bottom - 1;
  return isBelow && top >= high && bottom <= low;
}

// Measured from where the app comes to stand, if it is on its way.
function bringLesson(view) {
  const { store, parts, graph, act, root } = view;
  if (act.presents || !explains(store)) return;
  const coming = riseToCome(view);
  const [high, low] = portOf(root).map((edge) => edge + coming);
  const lesson = parts.lesson.root.firstChild.getBoundingClientRect();
  const { top, bottom } = graph.canvas.getBoundingClientRect();
  const up = store.quiz ? lesson.bottom - low : Math.min(top + LITTLE - low, top - high);
  const written = store.answer.text ? lesson.bottom - parts.answer.root.getBoundingClientRect().top : 0; // is read whole
  const down = store.quiz ? 0 : Math.max(lesson.bottom + LITTLE - bottom, written);
  if (Math.max(up, down) < 1) return;
  view.risen = null;
  scrollsAround(root).scrollBy({ top: coming + (up > 0 ? up : -down), behavior: "instant" }); // the graph is seen from there
}

// What one sees of the canvas while something is explained, from where to where in its pixels.
function seenOf({ store, root, graph, parts }) {
  if (!explains(store)) return [0, graph.size.height];
  const { top, bottom } = graph.canvas.getBoundingClientRect();
  const [high, low] = portOf(root);
  const from = Math.max(top, high, parts.lesson.root.getBoundingClientRect().bottom);
  const to = Math.min(bottom, low);
  return to - from > LITTLE / 2 ? [from - top, to - top] : [0, graph.size.height];
}

// Down to where one sees: a quiz that is longer scrolls, until it is compared.
function roomBelow(lesson, { root }) {
  const [, low] = portOf(root);
  return Math.max(QUIZ_LEAST, low - lesson.getBoundingClientRect().top - LESSON_EDGES);
}
