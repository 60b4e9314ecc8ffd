// A stored run played again: the messages of the live run, one by one, forwards and back.
const SPEEDS = [0.5, 1, 2, 4];
const BEAT = 1000; // ms that a step stays at the usual speed; a piece of text is over sooner

const LETTER = 0.0165; // share of the slider's width that a letter below it takes

const lastFrame = ({ frames }) => (frames?.length ?? 1) - 1;

function playTo(store, wish) {
  const at = Math.max(0, Math.min(lastFrame(store), wish));
  if (at === store.at) return;
  const before = store.at;
  store.at = at;
  if (at === before + 1) {
    grown(store, store.frames[at]);
  } else {
    const { selected, level, source } = store;
    if (at < before) beginRun(store);
    store.source = null; // what it shows may come later in the run
    for (const frame of store.frames.slice(at < before ? 0 : before + 1, at + 1)) absorb(store, frame);
    store.tell("reset", { calm: true });
    if (store.nodes.has(level)) enter(store, level);
    store.tell("grown", everything(store));
    if (store.nodes.has(selected)) select(store, selected, source?.node, source?.said);
    else if (selected || source) clearSelection(store);
  }
  store.tell("played");
}

function makePlayer(store) {
  const player = { timer: null, speed: 1, forward: 1, teaches: false, by: "stage", asked: null, frames: null };
  player.pause = () => {
    clearTimeout(player.timer);
    player.timer = null;
    store.tell("played");
  };
  player.play = (forward = 1) => {
    clearTimeout(player.timer);
    goOn(store);
    if (forward > 0 && store.at >= lastFrame(store)) playTo(store, 0);
    Object.assign(player, { forward, frames: store.frames });
    player.timer = setTimeout(() => tick(store, player), BEAT / player.speed / 2);
    store.tell("played");
  };
  player.next = (by) => {
    player.by = by;
    goOn(store);
    player.frames = store.frames;
    tick(store, player);
    store.tell("played");
  };
  player.toggle = (forward = 1) => (player.timer && player.forward === forward ? player.pause() : player.play(forward));
  player.to = (at) => {
    goOn(store);
    playTo(store, at);
  };
  return player;
}

function tick(store, player) {
  if (store.frames !== player.frames) return player.pause(); // another run has taken its place
  if (asksFirst(store, player)) return waitHere(store, player, store.frames[store.at + 1].quiz);
  playTo(store, store.at + player.forward);
  const frame = store.frames[store.at];
  if (store.at === (player.forward > 0 ? lastFrame(store) : 0)) return player.pause();
  if (player.teaches && player.forward > 0 && isLesson(frame, player.by)) return waitHere(store, player);
  const isPassed = player.teaches && player.by === "stage"; // on the way to the next stage
  const beat = frame.nodes && !isPassed ? BEAT : BEAT / 8;
  player.timer = setTimeout(() => tick(store, player), beat / player.speed);
  return null;
}

// A stage of the run itself, or with "step" any step, also of a run within, and each thing that was kept.
function isLesson({ teaching, piece }, by) {
  return by === "step" ? Boolean(teaching || piece) : Boolean(teaching && !teaching.inside);
}

// A class is asked before it sees what is kept, once each time.
function asksFirst(store, player) {
  const { quiz } = store.frames[store.at + 1] ?? {};
  if (!quiz || !player.teaches || player.forward < 0 || !store.bar?.quizzes || player.asked === quiz) return false;
  player.asked = quiz;
  return true;
}

function waitHere(store, player, quiz = null) {
  Object.assign(store, { waiting: true, quiz });
  player.pause();
  store.tell("taught");
}

const isPlayed = ({ frames, untold }) => Boolean(frames || untold); // a past run, also before its first event

const goOn = (store) => Object.assign(store, { waiting: false, quiz: null });

function replayView(store, act) {
  const player = makePlayer(store);
  const root = el("div", { class: "pe-replay pe-edged", role: "group", "aria-label": "Replay" });
  const title = el("div", { class: "pe-head pe-row pe-rigid pe-slim pe-tinted pe-title" });
  const parts = controls(store, player);
  const runs = button({ class: "pe-btn small", onclick: () => act.runs(true) }, "‹ All runs");
  const present = presentPart(act, "small");
  root.append(title, parts.bar);
  onSpace(root, () => store.frames && player.toggle());
  const draw = () => {
    root.hidden = store.mode !== "past" || !isPlayed(store);
    if (root.hidden) return player.timer && player.pause();
    runs.hidden = !act.presents;
    present.draw();
    fill(title, [runs, titleOf(store), grow(), present.root]);
    return drawControls(store, player, parts);
  };
  return { root, draw, player };
}

// Space plays and pauses, but on a button, which it presses.
function onSpace(root, toggle) {
  root.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target.tagName === "BUTTON" || event.target.type === "checkbox") return;
    event.preventDefault();
    toggle();
  });
}

function titleOf({ title, looks }) {
  const how = [title.how, title.model, whenOf(title.when)].filter(Boolean).join(" · ");
  return [
    icon("Question", looks, 20),
    el("h3", { class: "pe-ell", title: title.question }, title.question),
    el("span", { class: "pe-quiet pe-line pe-ell" }, how),
  ];
}

const arrow = (d) =>
  svg(
    "svg",
    { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true", class: "pe-icon" },
    svg("path", { d, fill: "currentColor", stroke: "currentColor", "stroke-width": 1.6, "stroke-linejoin": "round" }),
  );

// The buttons that play, and the slider: `to` a place, `by` so many on, `toggle` to play and pause, forwards or back.
function playParts(noun, { to, by, toggle, pace }) {
  const key = (sign, label, click) =>
    button({ class: "pe-btn square", title: label, "aria-label": label, onclick: click }, sign);
  const parts = {
    play: button({ class: "pe-btn go pe-play", onclick: () => toggle() }),
    range: el("input", { type: "range", min: 0, step: 1, oninput: (event) => to(Number(event.target.value)) }),
    back: key(arrow("M8 3 2 8l6 5zM14 3 8 8l6 5z"), "Backwards", () => toggle(-1)),
    marks: el("div", { class: "pe-marks" }),
    said: el("span", { class: "pe-line" }),
  };
  const choose = (event) => pace(Number(event.target.value));
  const speeds = SPEEDS.map((value) => el("option", { value, selected: value === 1 }, `${value}×`));
  parts.bar = el(
    "div",
    { class: "pe-controls pe-row pe-wrap" },
    el(
      "span",
      { class: "pe-keys pe-inline" },
      key(arrow("M3 3v10M13 3 6 8l7 5z"), "To the beginning (Home)", () => to(0)),
      parts.back,
      key(arrow("M11 3 4 8l7 5z"), `One ${noun} back (←)`, () => by(-1)),
      parts.play,
      key(arrow("M5 3l7 5-7 5z"), `One ${noun} on (→)`, () => by(1)),
      key(arrow("M13 3v10M3 3l7 5-7 5z"), "To the end (End)", () => to(Infinity)),
    ),
    el("div", { class: "pe-slide" }, parts.range, parts.marks),
    parts.said,
    el("label", { class: "pe-line pe-inline" }, "Speed ", el("select", { "aria-label": "Speed", onchange: choose }, speeds)),
  );
  return parts;
}

function controls(store, player) {
  const { to, toggle } = player;
  const pace = (speed) => (player.speed = speed);
  const parts = playParts("event", { to, by: (step) => to(store.at + step), toggle, pace });
  parts.range.setAttribute("aria-label", "Event of the run");
  const teach = () => {
    player.teaches = !player.teaches;
    press(parts.teach, "aria-pressed", player.teaches);
    store.tell("played");
  };
  const title = "For a class: wait after each stage, and explain it";
  parts.teach = button({ class: "pe-btn small pe-teach", title, "aria-pressed": "false", onclick: teach }, "Teach");
  parts.bar.append(parts.teach);
  return parts;
}

function drawControls(store, player, parts) {
  parts.bar.inert = !store.frames; // of a large run they come after its drawing
  const last = lastFrame(store);
  const playing = Boolean(player.timer);
  drawPlay(parts, playing, playing && player.forward < 0);
  Object.assign(parts.range, { max: last, value: store.at });
  const time = store.total?.time ? ` · ${store.total.time}` : "";
  parts.range.setAttribute("aria-valuetext", `Event ${store.at} of ${last}${time}`);
  const said = store.frames ? `Event ${store.at} of ${last}` : "Getting ready to play";
  fill(parts.said, el("b", {}, said), el("span", { class: "pe-quiet" }, time));
  if (parts.drawn === store.frames) return;
  parts.drawn = store.frames;
  fill(parts.marks, marksOf(store));
}

function drawPlay(parts, playing, back) {
  fill(parts.play, playing ? "Pause" : "Play");
  press(parts.back, "aria-pressed", back);
  parts.play.setAttribute("title", playing ? "Pause (space)" : "Play (space)");
}

// A tick where a stage has ended; its name where there is room for it.
function marksOf(store) {
  const frames = store.frames ?? [];
  return marksAt(frames.flatMap(({ teaching }, i) => (teaching ? [[i / (lastFrame(store) || 1), teaching.word]] : [])));
}

function marksAt(places) {
  let free = -1;
  return places.map(([at, word]) => {
    const named = at >= free && at + word.length * LETTER < 1.05;
    if (named) free = at + word.length * LETTER + 0.015;
    return el("i", { style: { left: `${at * 100}%` } }, named && el("span", {}, word));
  });
}
