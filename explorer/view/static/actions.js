// What a click or a key does.
function actions(store) {
  const look = (at) => {
    act.looking = true;
    at();
  };
  const act = {
    looking: false, // whether what was selected was so here, and is to be seen
    select: (id, said) => look(() => select(store, id, undefined, said)),
    clear: () => (store.selected || !store.level ? clearSelection(store) : leave(store)),
    presents: false,
    lists: false, // whether the list of past runs is what is presented
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
    further: () => zoom(act.view.graph, 1 / 1.2),
    list: () => toggleList(act.view),
    find: () => act.view.parts.find.focus(),
    ask: (question) => {
      bringUp(act.view);
      store.send({ t: "ask", question });
    },
    next: (by) => (store.frames ? act.player.next(by) : nextLesson(store, by)),
    backALesson: () => (store.frames ? act.player.back() : goBack(store, store.back + 1)),
    playAgain: () => {
      if (store.frames) return act.player.again();
      store.wish = topQuestion(store);
      return act.past(store.wish);
    },
    stop: () => store.send({ t: "stop" }),
    again: () => store.send({ t: "again" }),
    matter: (over) => store.send({ t: "matter", over }),
    past: (iri) => store.send({ t: "open", iri }),
    document: (iri) => {
      openDocument(store, iri);
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

// A run is there to be watched: where the graph lies below the window, the app moves up until all of it is in sight, but
// only so that a part begins where the question ends: of the stages one sees all or nothing, and the lesson whole.
function bringUp({ root, run, parts, graph, act }) {
  const { bottom } = graph.canvas.getBoundingClientRect();
  const [high, low] = portOf(root);
  if (bottom <= low + HAIR) return;
  const tabs = act.presents ? 0 : (root.closest(".pe-app")?.querySelector(".pe-tabs").offsetHeight ?? 0);
  const row = tabs + root.querySelector(".pe-ask .pe-go").offsetHeight + 2; // which stays above it
  const places = [root, run, parts.lesson.root.hidden ? run.querySelector(".pe-main") : parts.lesson.root];
  const rises = places.map((place, at) => place.getBoundingClientRect().top - high - (at ? row : tabs));
  const rise = rises.find((by) => bottom - by <= low) ?? rises.at(-1);
  scrollsAround(root).scrollBy({ top: rise, behavior: still() ? "instant" : "smooth" });
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
