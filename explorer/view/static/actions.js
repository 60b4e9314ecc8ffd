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
      store.wish = [...store.nodes.values()].find(({ kind, level }) => kind === "Question" && !level)?.id;
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
