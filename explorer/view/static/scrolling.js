// What is brought into sight in the notebook: a run that begins, and a lesson with what it explains.

// A run is there to be watched: where its lower edge lies below the window, or its beginning above, the app moves until all
// of it is in sight below the question, and if there is room from the tabs on.
function bringUp(view) {
  const { root, run } = view;
  const [from, low] = sightOf(view);
  const { top, bottom } = run.getBoundingClientRect();
  if (top >= from - HAIR && bottom <= low + HAIR) return;
  view.risen = bottom - riseOf(view, root) <= low ? root : run;
  stayUp(view);
}

// Who had scrolled on sees the view from its top.
function bringTop(view) {
  if (view.act.presents || riseOf(view, view.root) >= -1) return;
  view.risen = view.root;
  stayUp(view);
}

// From where to where one sees of what is below the question, which stays.
function sightOf({ root, stuck }) {
  const [high, low] = portOf(root);
  return [high + stuck.getBoundingClientRect().height, low];
}

// By how much a part has to move up to begin where what stays in sight above it ends.
const riseOf = (view, part) => part.getBoundingClientRect().top - (part === view.root ? portOf(part) : sightOf(view))[0];

// What was brought up stays in its place while what is above it gets another height, until somebody scrolls.
function stayUp(view) {
  const rise = view.risen?.offsetParent ? riseOf(view, view.risen) : 0;
  if (Math.abs(rise) > 1) scrollOn(view, rise);
}

// From where it is now: it may be on its way from what was asked for before.
function scrollOn({ root }, by) {
  const scrolls = scrollsAround(root);
  scrolls.scrollTo({ top: scrolls.scrollTop + by, behavior: still() ? "instant" : "smooth" });
}

// A run is as high as one sees below the question.
function keepingUp(view) {
  const { root, stuck, whole } = view;
  const over = new AbortController();
  const measured = new ResizeObserver(() => {
    const [from, low] = sightOf(view);
    measured.observe(scrollsAround(root));
    whole.style.setProperty("--pe-room", `${Math.round(low - from) / (root.currentCSSZoom ?? 1)}px`);
    stayUp(view);
  });
  for (const one of [root, stuck]) measured.observe(one);
  const isOutside = (event) => ["wheel", "touchmove"].includes(event.type) || !root.contains(targetOf(event));
  const free = (event) => isOutside(event) && (view.risen = null);
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

function scrollsAround(part) {
  const at = part.parentElement ?? part.getRootNode().host;
  if (!at) return document.documentElement;
  const scrolls = at.scrollHeight > at.clientHeight && /auto|scroll/.test(getComputedStyle(at).overflowY);
  return scrolls ? at : scrollsAround(at);
}

// To what is explained, also inside a folded run, and there into sight; its words open beside it, or of what was kept the
// first.
function showLesson(view) {
  const { store, graph, pane } = view;
  const id = taughtNode(store);
  if (store.selected) clearSelection(store);
  if (id) goTo(store, id);
  const folded = id && keptOf(store).find((one) => store.nodes.get(store.nodes.get(one).level)?.kind === "Rest");
  if (folded) goTo(store, folded); // of what a stage kept nothing stays folded
  if (id && areHere(store, id)) revealLesson(graph, store, id);
  const [words] = id && !pane.narrow ? [id, ...keptOf(store)].flatMap((one) => passagesOf(store, one)) : [];
  if (words) openSource(store, words);
  else if (store.source) clearSelection(store);
  if (!explains(store)) Object.assign(store, { opened: false });
  openFirst(store);
  redraw(graph, store);
}

// Once all was explained the graph, which is drawn anew, is to be seen.
function bringEnd(view) {
  if (view.waited && isOver(view.store)) bringUp(view);
  view.waited = view.store.waiting || (view.waited && !isOver(view.store));
}
