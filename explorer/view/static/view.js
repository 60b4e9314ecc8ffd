// One view of the run: what is drawn, and where. The store lives with the model, views only draw.
function makeView(store, root) {
  const act = actions(store);
  const parts = {
    bar: barView(store, act),
    stages: stagesView(store, act),
    settings: settingsView(store, act),
    lesson: null, // made with the player, which it follows
    answer: answerView(store, act),
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
  const say = el("div", { class: "pe-say pe-rigid pe-fine pe-quiet pe-nowrap", role: "status", "aria-live": "polite" });
  const start = el("div", "pe-start pe-row pe-stack pe-quiet");
  const more = button(
    { class: "pe-btn small pe-more", tabindex: -1, "aria-hidden": "true", title: "More below", onclick: () => act.page() },
    el("span", {}, "more below "),
    "↓",
  );
  const aside = button({ class: "pe-btn small pe-aside", tabindex: -1, "aria-hidden": "true", hidden: true, onclick: () => act.aside() });
  const stageArea = el("div", "pe-stage-area pe-share");
  const graphPanel = el(
    "section",
    { class: "pe-panel pe-stack pe-share pe-slim pe-graph", "aria-label": "How the answer came about" },
    toolbar(act, parts, saveMenu(store, graph)),
    stageArea,
    el("div", "pe-below pe-rigid pe-slim", say, parts.legend.root),
  );
  const run = el(
    "div",
    "pe-run pe-share pe-slim",
    parts.replay.root,
    el("div", "pe-stage-row pe-row pe-slim pe-tinted pe-edged", parts.stages.root, parts.settings.root),
    parts.lesson.root,
  );
  const pane = paneView(store, act, run, graph.canvas, [parts.detail.root, parts.source.root]);
  run.append(el("div", "pe-main", parts.answer.root, graphPanel, pane.root));
  graphPanel.querySelector(".pe-head").append(pane.opener);
  const trouble = el("div", { class: "pe-trouble-line pe-row pe-wrap pe-alarm", role: "alert", hidden: true });
  const lost = "Not connected: you can look around, but not ask. Run the cell again.";
  const offline = el("div", { class: "pe-offline pe-alarm pe-edged", role: "status", hidden: true }, lost);
  const whole = el("div", "pe-whole pe-slim", parts.past.root, run);
  fill(
    root,
    offline,
    parts.bar.root,
    trouble,
    whole,
    parts.compare.root,
    parts.documents.root,
    parts.source.enlarged.root,
    parts.corrected.root,
  );
  stageArea.append(graph.canvas, graph.map.root, parts.list.root, start, more, aside);
  const view = { store, root, act, parts, graph, pane, say, start, more, aside, run, whole, trouble, offline };
  graph.painted = () => report(view);
  graph.seen = () => seenOf(view);
  graph.network.on("resize", () => graph.moved || followStep(graph, store, false)); // in another size too, once it is fitted
  Object.assign(act, { view });
  return view;
}

function toolbar(act, { trail, find }, saving) {
  const tool = (label, text, click, more = "") => button({ class: `pe-btn small ${more}`, title: label, onclick: click }, text);
  return head(
    "How the answer came about",
    trail.root,
    el("span", "pe-quiet pe-line pe-wide pe-ell", "steps go down · findings go right · thicker = better"),
    grow(),
    find.root,
    signButton("+", "Zoom in", act.closer, { title: "Zoom in (+)", class: "pe-btn small square pe-zoom pe-scales" }),
    signButton("−", "Zoom out", act.further, { title: "Zoom out (-)", class: "pe-btn small square pe-zoom pe-scales" }),
    tool("Show everything (F)", "Fit", () => act.fit(), "pe-scales"),
    tool("The same as a list (L)", "List view", () => act.list()),
    saving,
  );
}

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
  const tries = examples.map((question) => button({ class: "pe-btn", onclick: () => act.ask(question) }, question));
  fill(
    start,
    examples.length
      ? [el("b", {}, "Try one of these"), el("div", "pe-tries pe-stack", tries)]
      : el("b", {}, noneYet ? "No runs yet" : (store.note?.word ?? "Ask a question")),
    el(
      "span",
      {},
      (noneYet ? "Ask a question: each run is kept here, with all that its answer came from." : store.note?.text) ??
        "You will see each step as it happens, and can click from the answer " +
          "through the facts to the very words they came from.",
    ),
    store.note?.leads && store.bar && button({ class: "pe-btn go", onclick: toDocuments }, "Add documents…"),
  );
}

const isWithoutRuns = ({ mode, past }) => mode === "past" && past.known && !past.total && !Object.values(past.asked).some(Boolean);

function drawSay({ store, say }) {
  const node = store.nodes.get(store.selected);
  const latest = store.log.at(-1);
  const rating = node && ratingOf(store, node.id);
  if (node)
    fill(
      say,
      el("b", {}, store.path.length > 1 ? "Path: " : "Selected: "),
      el("span", "pe-ell", node.say),
      rating && el("span", "pe-rigid", ` · ${ratedWords(rating)}`),
    );
  else if (latest)
    fill(
      say,
      el("b", {}, store.state === "running" ? "New: " : "Last: "),
      store.nodes.get(store.piece)?.say ?? latest.text,
    );
  else if (store.frames) fill(say, "At the beginning: Play shows the run step by step.");
  else if (isWithoutRuns(store)) fill(say, "No runs yet.");
  else fill(say, store.mode === "past" ? "Choose a run from the list." : "Nothing asked yet.");
  say.title = say.textContent; // of a long path the end is cut
}

function drawAll(view) {
  for (const part of Object.values(view.parts)) part.draw();
  drawSay(view);
  drawStart(view);
}

function report(view) {
  const { store, graph, more, parts } = view;
  hide(more, !store.nodes.size || !parts.list.root.hidden || hidden(graph, store).bottom < 30);
  if (!more.hidden) placeMore(view);
  drawAside(view);
  tellPainted(view);
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
  for (const name of ["bar", "settings", "lesson", "past", "replay", "compare", "documents"]) parts[name].draw();
  const rise = turns && !act.presents && root.isConnected ? riseOf(view, root) : 0;
  if (rise < 0) scrollsAround(root).scrollBy({ top: rise, behavior: "instant" }); // it begins below its tabs, not above them
}

function drawTrouble({ trouble, store, parts }, { text, details, closed }) {
  store.past.opening = store.saving = null;
  noteAgain(store);
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

const MOST_FRAMES = 600; // of 60 in a second
const TRAIL = 8; // frames that are told of what never came to rest

// Where in the window a node stands, once its drawing is painted, it is in sight, and nothing moves any more: what is
// still being laid out would move it on. Raises Error if that never happens, with what the last frames were like.
async function pointAt({ store, graph }, id) {
  goTo(store, id);
  const trail = [];
  let point;
  for (let resting = 0, frames = 0; resting < 8; frames += 1) {
    if (frames > MOST_FRAMES) throw new Error(`${id} did not come to rest in ${frames} frames: ${JSON.stringify(trail)}`);
    reveal(graph, store, id, false);
    await new Promise(requestAnimationFrame);
    const at = graph.network.canvasToDOM(store.nodes.get(id).vis);
    const box = graph.canvas.getBoundingClientRect();
    const now = [box.left + at.x, box.top + at.y];
    resting = point?.every((one, axis) => Math.abs(one - now[axis]) < 0.01) ? resting + 1 : 0; // not by a rounding
    point = now;
    trail.splice(0, trail.length - TRAIL + 1);
    trail.push({ at, box: box.toJSON(), ...stateOfView(graph, store) });
  }
  return point;
}

function stateOfView({ size, enlarged, follow, whole, gliding, moved, unfolded, network }, { columns, level, seq }) {
  return { size, scale: network.getScale(), enlarged, follow, whole, gliding, moved, unfolded, columns, level, seq };
}
