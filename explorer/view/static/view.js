// One view of the run: what is drawn, and where. The store lives with the model, views only draw.
function makeView(store, root) {
  const act = actions(store);
  const notice = noticeLine();
  const menu = menuButton("Save, find ▾", "Copy, save, find, zoom", () => graphTools(store, act, graph, notice.say));
  const tools = el("span", "pe-tools pe-inline pe-gap-m pe-rigid", menu, notice.root);
  const parts = {
    tabs: tabsView(store, act),
    bar: barView(store, act),
    lesson: null, // made with the player, which it follows
    left: leftPart(store, act),
    answer: answerView(store, act, tools),
    audit: auditView(store, act),
    detail: detailView(store, act),
    source: sourceView(store, act),
    list: listView(store, act),
    legend: legendView(store),
    trail: trailView(store),
    find: findBox(store, act),
    past: pastView(store, act),
    replay: replayView(store, act),
    compare: compareView(store, act),
    documents: documentsView(store, act),
    corrected: correctedLine(store),
  };
  parts.answer.root.append(parts.audit.root);
  act.player = parts.replay.player;
  parts.lesson = lessonView(store, act);
  const graph = graphView(store, act);
  const otherwise = () => (parts.list.root.hidden ? graph.canvas : parts.list.root);
  for (const part of Object.values(parts)) part.draw = keepingFocus(part.root, part.draw, otherwise);
  const say = el("div", { class: "pe-say pe-hear", role: "status", "aria-live": "polite" });
  const start = el("div", "pe-start pe-row pe-stack pe-quiet");
  const run = el("div", "pe-run pe-stack pe-share pe-slim", parts.replay.root, parts.lesson.root);
  const pane = paneView(store, run, graph.canvas, [parts.left.root, parts.detail.root, parts.source.root]);
  tools.prepend(pane.opener);
  const stageArea = el("div", "pe-stage-area pe-share", graph.canvas, graph.map.root, parts.list.root, start);
  const { trail, find, legend } = parts;
  const look = { class: "pe-panel pe-stack pe-share pe-slim pe-graph", "aria-label": "How the answer came about" };
  const graphPanel = el("section", look, trail.root, find.root, stageArea, legend.root, say);
  run.append(el("div", "pe-main", parts.answer.root, graphPanel, pane.root));
  const trouble = el("div", { class: "pe-trouble-line pe-edged pe-row pe-gap-l pe-wrap pe-alarm", role: "alert", hidden: true });
  const lost = "Not connected: you can look around, but not ask. Run the cell again.";
  const offline = el("div", { class: "pe-offline pe-alarm pe-edged", role: "status", hidden: true }, lost);
  const whole = el("div", "pe-whole pe-slim", parts.past.root, run);
  const leaves = el("span", "pe-leaves pe-fine pe-quiet pe-nowrap", "Esc leaves Present");
  parts.tabs.root.append(leaves, menuButton("View ▾", "How it is shown", () => viewsOf(store, act)));
  const stuck = el("div", "pe-stuck", parts.tabs.root, offline, parts.bar.root, trouble);
  const { compare, documents, source, corrected } = parts;
  fill(root, stuck, whole, compare.root, documents.root, source.enlarged.root, corrected.root);
  const view = { store, root, act, parts, graph, pane, say, start, run, whole, stuck, trouble, offline };
  graph.painted = () => tellPainted(view);
  graph.network.on("resize", () => graph.moved || followStep(graph, store, false)); // in another size too, once it is fitted
  Object.assign(act, { view });
  return view;
}

function viewsOf(store, act) {
  const isPlain = !act.presents && !teaches(store) && !store.audits && act.weighs !== store.selected;
  return [
    { name: "Explore", about: "answer, graph and source", on: isPlain, does: act.explore },
    lessonsOf(store) && { name: "Teach", about: "stage by stage, for a class", on: teaches(store), does: act.teach },
    act.presents
      ? { name: "Leave Present", about: "back to the page (Esc)", does: act.present }
      : { name: "Present", about: "larger, over the whole window", on: false, does: act.present },
    isAudited(store) && { name: "Audit", about: "seal, checks, verdicts", on: Boolean(store.audits), does: act.audit },
    ratedAnswer(store) && { name: "What if", about: "which sources the answer needs", on: act.weighs === store.selected, does: act.whatIf },
  ];
}

function graphTools(store, act, graph, say) {
  const lists = !act.view.parts.list.root.hidden;
  return [
    store.answer.text && !store.answer.live && { name: "Copy", about: "the answer and its sources", does: () => copyAnswer(store, say) },
    isAudited(store) && { name: "Audit", about: "seal, checks, verdicts", on: Boolean(store.audits), does: act.audit },
    ...savesOf(store, graph, say),
    { name: "Find", about: "words in the graph (/)", does: act.find },
    { name: "List", about: "the graph as a list (L)", on: lists, does: act.list },
    !lists && { name: "Fit", about: "show everything (F)", does: act.fit },
    !lists && { name: "Zoom in", about: "+", does: act.closer },
    !lists && { name: "Zoom out", about: "−", does: act.further },
    { name: "Signs", about: "what colours and shapes mean", does: act.legend },
  ];
}

const NO_RUNS = { word: "No runs yet", text: "Ask a question: each run is kept here." };

function drawStart(view) {
  const { store, start, act } = view;
  start.hidden = store.nodes.size > 0 || store.state !== "start";
  if (start.hidden) return;
  const examples = store.examples ?? [];
  const noneYet = isWithoutRuns(store);
  const toDocuments = () => {
    view.present.leave(); // presented, one sees no tabs
    store.send({ t: "shelf" });
  };
  const { word = "Ask a question", text, leads } = noneYet ? NO_RUNS : (store.note ?? {});
  const tries = examples.map((question) => button({ class: "pe-btn", onclick: () => act.ask(question) }, question));
  const told = examples.length
    ? [el("b", {}, "Try one of these"), el("div", "pe-tries pe-stack pe-gap-m", tries)]
    : [el("b", {}, word), el("span", {}, text)];
  fill(start, told, leads && store.bar && button({ class: "pe-btn go", onclick: toDocuments }, "Add documents…"));
}

const isWithoutRuns = ({ mode, past }) => mode === "past" && past.known && !past.total && !Object.values(past.asked).some(Boolean);

// What is selected, or the newest step, for who hears the page.
function drawSay({ store, say }) {
  const node = store.nodes.get(store.selected) ?? store.nodes.get(store.piece);
  const rating = node && ratingOf(store, node.id);
  const words = node?.say ?? store.log.at(-1)?.text ?? (isWithoutRuns(store) ? "No runs yet." : "Nothing asked yet.");
  fill(say, joinWords([words, rating && ratedWords(rating)]));
}

function drawAll(view) {
  for (const part of Object.values(view.parts)) part.draw();
  drawSay(view);
  drawStart(view);
}

// Tests and benchmarks read here what has really been painted.
function tellPainted({ root, store, run }) {
  root.dataset.nodes = String(store.nodes.size);
  root.dataset.seq = String(store.seq);
  root.dataset.state = run.dataset.state = store.state;
}

function drawMode(view) {
  const { store, root, act, run, whole, parts, trouble } = view;
  root.classList.toggle("past", store.mode === "past");
  const comparing = store.mode === "past" && Boolean(store.compare);
  whole.hidden = comparing || store.mode === "documents";
  run.hidden = comparing || (store.mode === "past" && listsAlone(act, store));
  trouble.hidden = true;
  if (store.mode === "past" && view.mode !== "past") askRuns(store);
  if (store.mode === "documents" && view.mode !== "documents") {
    askAnew(store);
    store.send({ t: "files?" });
  }
  if (view.mode === "documents" && store.mode !== "documents") foldRead(store);
  const turns = view.mode && view.mode !== store.mode && store.mode !== "ask";
  view.mode = store.mode;
  for (const name of ["tabs", "bar", "left", "lesson", "past", "replay", "compare", "documents"]) parts[name].draw();
  const rise = turns && !act.presents && root.isConnected ? riseOf(view, root) : 0;
  if (rise < 0) scrollsAround(root).scrollBy({ top: rise, behavior: "instant" }); // it begins below its tabs, not above them
}

function drawTrouble({ trouble, store, parts }, { text, details, closed }) {
  store.past.opening = store.saving = null;
  Object.assign(store.past, { noting: store.past.noting ?? store.past.sent, sent: null }); // to be written otherwise
  parts.past.draw();
  trouble.hidden = false;
  const close = signButton("×", "Close", () => (trouble.hidden = true), { title: null });
  const onclick = () => {
    trouble.hidden = true;
    store.send({ t: "reopen" });
  };
  const reopen = closed && button({ class: "pe-btn", onclick }, "Open it again");
  const words = el("span", "pe-share pe-slim pe-anywhere", text);
  fill(trouble, words, reopen, close, details && unfolding(details));
}
