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
