// What a click or a key does.
function actions(store) {
  const look = (at) => {
    act.looking = true;
    at();
  };
  const act = {
    looking: false, // whether what was selected was so here, and is to be seen
    select: (id, said) => look(() => select(store, id, undefined, said)),
    refused: (said) => bringBack(act.view, said),
    clear: () => (store.selected || !store.level ? clearSelection(store) : leave(store)),
    unfolded: new Set(), // parts of Detail that fold, and are open
    presents: false,
    lists: false, // whether the list of past runs is what is presented
    seeksRuns: false, // whether that list was asked for, from the question
    runs: (lists) => listRuns(act.view, lists),
    present: () => act.view.present.toggle(),
    escape: () => act.view.pane.shut() || act.view.present.leave() || act.clear(),
    source: (passage) => look(() => openSource(store, passage)),
    open: (id) => {
      if (store.nodes.get(id).opens) return openRun(store, id);
      act.select(id);
      const { source, detail } = act.view.parts;
      (store.source ? source.root.querySelector(".pe-desk") : detail.root.querySelector(".pe-body"))?.focus();
    },
    fit: () => {
      Object.assign(act.view.graph, { ...FROM_THE_START, whole: true });
      fit(act.view.graph, store);
    },
    closer: () => zoom(act.view.graph, 1.2),
    page: () => {
      const { graph } = act.view;
      pan(graph, 0, Math.min(graph.size.height * 0.7, hidden(graph, store).bottom), glide());
    },
    aside: () => {
      const { graph } = act.view;
      const { left, right } = hidden(graph, store);
      pan(graph, right > HAIR ? Math.min(graph.size.width * 0.7, right) : -left, 0, glide());
    },
    further: () => zoom(act.view.graph, 1 / 1.2),
    list: () => toggleList(act.view),
    find: () => act.view.parts.find.focus(),
    ask: (question) => {
      bringUp(act.view);
      sendQuestion(store, question);
    },
    next: (by) => (store.frames ? act.player.next(by) : nextLesson(store, by)),
    backALesson: () => (store.frames ? act.player.back() : goBack(store, store.back + 1)),
    playAgain: () => {
      if (isPlayed(store)) return whenReady(store, act.player.again);
      store.wish = topQuestion(store);
      bringUp(act.view);
      return store.send({ t: "replay" });
    },
    teach: () => (isPlayed(store) ? act.player.teach() : changeBar(store, { teaches: !store.bar.teaches })),
    stop: () => store.send({ t: "stop" }),
    again: () => store.send({ t: "again" }),
    matters: false, // whether what mattered was asked for here and is to be seen; once it has begun, over what and how far down it was left
    matter: (over) => {
      act.matters = true;
      store.send({ t: "matter", over });
    },
    past: (iri) => store.send({ t: "open", iri }),
    document: (iri) => {
      openDocument(store, iri);
      store.send({ t: "shelf" });
    },
    shelf: (text) => {
      Object.assign(store.documents, { text, limit: CHUNK });
      store.send({ t: "shelf" });
    },
    entity: (iri) => {
      openEntity(store, iri);
      store.send({ t: "shelf" });
    },
    compare: (a, b) => store.send({ t: "compare?", a, b }),
    closeCompare: () => {
      store.compare = null;
      act.lists = true;
      store.send({ t: "compared" });
      store.tell("mode");
    },
  };
  return act;
}

const topQuestion = ({ nodes }) => [...nodes.values()].find(({ kind, level }) => kind === "Question" && !level)?.id;

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
  const { root, run, parts, act } = view;
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

function toggleList({ parts, graph, root }) {
  const list = parts.list.root;
  list.hidden = !list.hidden;
  graph.canvas.classList.toggle("pe-away", !list.hidden);
  for (const one of root.querySelectorAll(".pe-scales")) one.hidden = !list.hidden;
  parts.list.draw();
  root.querySelector("[title^='The same as a']").textContent = list.hidden ? "List view" : "Graph view";
  if (list.hidden) graph.canvas.focus();
  else (list.querySelector(".on") ?? list).focus();
}
