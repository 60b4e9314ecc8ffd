// What a click or a key does.
function actions(store) {
  const look = (at) => {
    act.looking = true;
    at();
  };
  const act = {
    looking: false, // whether what was selected was so here, and is to be seen
    select: (id, said) => look(() => select(store, id, undefined, said)),
    refused: (said) => {
      said.scrollIntoView({ block: "nearest", behavior: "instant" }); // who had scrolled on sees all from the question down
      bringTop(act.view);
    },
    clear: () => (store.selected || !store.level ? clearSelection(store) : leave(store)),
    unfolded: new Set(), // parts of Detail that fold, and are open
    unfold: (unfolds) => {
      store.unfolds = unfolds;
      store.tell("unfolded");
    },
    presents: false,
    lists: false, // whether past runs are listed, though one is open
    runs: (lists) => listRuns(act.view, lists),
    weighs: null, // the answer whose sources are weighed: what mattered for it stands first
    explore: () => {
      act.weighs = null;
      const [taught, audited] = [teaches(store), store.audits];
      if (taught) act.teach();
      if (audited) act.audit();
      if (!taught && !audited) act.view.present.leave(); // one thing at a time
    },
    present: () => act.view.present.toggle(),
    toAnswer: (event) => {
      const first = act.view.parts.answer.root.querySelector(".pe-cite, .pe-claim");
      if (!first) return;
      claim(event);
      first.focus();
    },
    legend: () => act.view.parts.legend.turn(),
    escape: () => act.view.pane.shut() || act.view.present.leave() || act.clear(),
    source: (passage) => look(() => openSource(store, passage)),
    open: (id) => {
      if (store.nodes.get(id).opens) return openRun(store, id);
      act.select(id);
      act.view.pane.enter();
    },
    ...scaling(() => act.view.graph, store),
    list: () => toggleList(act.view),
    find: () => act.view.parts.find.open(),
    ask: (question) => {
      bringUp(act.view);
      sendQuestion(store, question);
    },
    next: (by) => act.player.next(by),
    backALesson: () => act.player.back(),
    playAgain: () => {
      if (isPlayed(store)) return whenReady(store, act.player.again);
      store.wish = [...store.nodes.values()].find(({ kind, level }) => kind === "Question" && !level)?.id;
      bringUp(act.view);
      return store.send({ t: "replay" });
    },
    teach: () => {
      if (!isPlayed(store) && store.at < lastFrame(store)) act.player.to(Infinity); // who ends it has looked back
      if (isPlayed(store)) act.player.teach();
      else changeBar(store, { teaches: !store.bar.teaches });
      act.view.parts.lesson.begin();
    },
    audit: () => turnAudit(store, act),
    whatIf: () => whatIf(store, act),
    stop: () => store.send({ t: "stop" }),
    matters: false, // whether what mattered was asked for here and is to be seen; once it has begun, over what and how far down it was left
    matter: (over) => {
      act.matters = true;
      store.send({ t: "matter", over });
    },
    brings: false, // whether a past run was opened here
    seen: null, // what was last on show among the past runs
    past: (iri) => {
      act.seen = null;
      store.send({ t: "open", iri });
    },
    document: (iri) => {
      openDocument(store, iri);
      store.send({ t: "shelf" });
    },
    shelf: (text) => {
      Object.assign(store.documents, { text, limit: CHUNK, corrects: false });
      store.send({ t: "shelf" });
    },
    corrections: () => {
      listCorrections(store, true);
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
      bringTop(act.view);
    },
  };
  return act;
}

function toggleList({ parts, graph }) {
  const list = parts.list.root;
  list.hidden = !list.hidden;
  graph.canvas.classList.toggle("pe-away", !list.hidden);
  parts.list.draw();
  if (list.hidden) graph.canvas.focus();
  else (list.querySelector(".on") ?? list).focus();
}
