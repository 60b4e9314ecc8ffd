// A stored run played again: the messages of the live run, one by one, forwards and back.
const SPEEDS = [0.25, 0.5, 1, 2, 4];
const BEAT = 1000; // ms that a step stays at the usual speed; a piece of text is over sooner

const framesOf = ({ frames, came }) => frames ?? came;
const lastFrame = (store) => Math.max(0, framesOf(store).length - 1);

function playTo(store, wish) {
  const at = Math.max(0, Math.min(lastFrame(store), wish));
  if (at === store.at) return;
  const before = store.at;
  store.at = at;
  const frames = framesOf(store);
  if (at === before + 1) grown(store, frames[at]);
  else showAnew(store, frames.slice(at < before ? 0 : before + 1, at + 1), at < before);
  store.tell("played");
}

// What the event on show brought is brought into sight, forwards and back, unless something is selected or explained.
function followStep(graph, store, animation = glide()) {
  const { frames, at, selected, waiting } = store;
  if (!frames || selected || waiting || at === lastFrame(store)) return;
  const before = new Set(frames.slice(0, at).flatMap(({ nodes = [] }) => nodes.map(({ id }) => id)));
  const came = (frames[at].nodes ?? []).find(({ id }) => !before.has(id) && areHere(store, id));
  if (came) reveal(graph, store, came.id, animation);
}

function makePlayer(store) {
  const player = { timer: null, speed: 1, forward: 1, frames: null };
  player.pause = () => {
    clearTimeout(player.timer);
    player.timer = null;
    if (store.frames && !store.waiting) restHere(store, player);
    store.tell("played");
  };
  player.play = (forward = 1) => {
    clearTimeout(player.timer);
    goOn(store);
    if (forward > 0 && store.at >= lastFrame(store)) fromTheStart(store);
    if (forward > 0 && teaches(store)) return player.next("stage");
    Object.assign(player, { forward, frames: store.frames });
    player.timer = setTimeout(() => tick(store, player), BEAT / player.speed / 2);
    store.tell("played");
  };
  player.next = (by) => {
    const stop = stopsFrom(store, true).find(({ step }) => by === "step" || !step);
    if (stop) showStop(store, stop);
    else if (store.at < lastFrame(store)) player.to(Infinity);
    else store.send({ t: "next", by });
  };
  player.toggle = (forward = 1) => {
    const isPlaying = player.timer && player.forward === forward;
    return isPlaying ? player.pause() : whenReady(store, () => player.play(forward));
  };
  player.to = (at) => {
    goOn(store);
    playTo(store, at);
    restHere(store, player);
  };
  player.back = () => {
    player.pause();
    const stop = lessonBefore(store);
    if (stop) showStop(store, stop);
    else player.to(0);
  };
  player.again = () => {
    fromTheStart(store);
    player.play();
  };
  player.teach = () => {
    player.pause();
    changeLessons(store, { teaches: !teaches(store) });
    if (!teaches(store) && isInPlace(store)) player.to(lastFrame(store)); // who asked sees the answer
    else if (!teaches(store)) goOn(store);
    else whenReady(store, () => restHere(store, player));
    store.tell("played");
  };
  // A run that was asked for to be played, once it is there; with Teach a large one is made ready for it.
  player.wished = () => {
    const isWished = isPlayed(store) && store.title?.iri === store.wish;
    if (isWished) {
      store.wish = null;
      whenReady(store, player.again);
    } else if (store.untold && !store.ready && teaches(store)) {
      whenReady(store, () => {});
    }
  };
  return player;
}

function fromTheStart(store) {
  goOn(store);
  store.quizzed = new WeakMap();
  store.explained.clear();
  playTo(store, 0);
}

// Where one stops with Teach, what is there is explained.
function restHere(store, player) {
  const stop = teaches(store) && !player.timer && stopsOf(store).find(({ at, quiz }) => at === store.at && !quiz);
  if (stop) showStop(store, stop);
}

function tick(store, player) {
  if (store.frames !== player.frames) return player.pause(); // another run has taken its place
  playTo(store, store.at + player.forward);
  if (store.at === (player.forward > 0 ? lastFrame(store) : 0)) return player.pause();
  player.timer = setTimeout(() => tick(store, player), (store.frames[store.at].nodes ? BEAT : BEAT / 8) / player.speed);
  return null;
}

// The last of what a stage kept.
const lastPieceOf = (frames, at) => (frames[at + 1]?.piece ? lastPieceOf(frames, at + 1) : at);

// Below the question that was just asked: it and Teach stand above, and where the lesson has its own ways, these do.
const isInPlace = ({ mode, bar }) => mode === "ask" && Boolean(bar);

const isPlayed = ({ frames, untold }) => Boolean(frames || untold); // a past run, also before its first event

const goOn = (store) => Object.assign(store, { waiting: false, quiz: null });

function replayView(store, act) {
  const player = makePlayer(store);
  const root = groupOf("Replay", "pe-replay pe-edged");
  const line = el("div", `${HEAD} pe-title`);
  const to = (at) => whenReady(store, () => player.to(at));
  const by = (step) => whenReady(store, () => player.to(store.at + step));
  const parts = playParts("event", { to, by, toggle: player.toggle, pace: (speed) => (player.speed = speed) });
  parts.range.setAttribute("aria-label", "Event of the run");
  const runs = smallButton("‹ All runs", () => act.runs(true));
  const noted = el("div", "pe-title-note pe-fine pe-quiet pe-edged");
  root.append(line, noted, parts.bar);
  onSpace(root, () => isPlayed(store) && player.toggle());
  const draw = () => {
    const here = isInPlace(store);
    root.hidden = !isPlayed(store) || (here && teaches(store));
    if (!isPlayed(store)) return player.timer && player.pause();
    line.hidden = here;
    noted.hidden = here || !store.title.note;
    fill(noted, store.title.note && cutText(store.title.note));
    runs.hidden = !store.bar; // a saved page lists no others
    fill(line, runs, titleOf(store));
    return drawControls(store, player, parts);
  };
  return { root, draw, player };
}

function titleOf({ title, looks }) {
  const how = joinWords([title.how, modelAfter(title.model), whenOf(title.when)]);
  return [
    icon("Question", looks, 20),
    el("h3", { class: "pe-ell", title: title.name || title.question, dir: "auto" }, title.name || title.question),
    title.name && el("span", { class: "pe-ell", title: title.question, dir: "auto" }, title.question),
    el("span", { class: "pe-quiet pe-line pe-ell", title: how }, how),
  ];
}

function drawControls(store, player, parts) {
  parts.bar.inert = Boolean(store.ready);
  const last = lastFrame(store);
  const playing = Boolean(player.timer);
  drawPlay(parts, playing, playing && player.forward < 0, store.at === last && !playing);
  parts.play.hidden = teaches(store) && !playing; // the lesson has its own ways on
  Object.assign(parts.range, store.frames ? { max: last, value: store.at } : { max: 1, value: 1 });
  const time = store.total ? ` · ${store.total}` : "";
  const unready = store.ready ? "Getting ready to play" : "At the end";
  const said = store.frames ? `Event ${store.at} of ${last}` : unready;
  parts.range.setAttribute("aria-valuetext", `${said}${time}`);
  fill(parts.said, !teaches(store) && el("b", {}, said), el("span", "pe-quiet", time));
  if (parts.drawn === store.frames) return;
  parts.drawn = store.frames;
  const longest = `Event ${last} of ${last} · ${store.total}`.length + 2;
  parts.said.style.minWidth = `${longest}ch`; // what is said grows, and nothing beside it moves
  fill(parts.marks, marksOf(store));
}

// A mark where a stage of the strip has ended, if there is room for its name.
function marksOf(store) {
  const frames = store.frames ?? [];
  return marksAt(frames.flatMap(({ teaching }, i) => (teaching && !teaching.inside ? [[i / (lastFrame(store) || 1), teaching.word]] : [])));
}

// The buttons, slider and marks by which a run, or two side by side, are played.
function arrow(d) {
  const paint = { fill: "currentColor", stroke: "currentColor", "stroke-width": 1.6, "stroke-linejoin": "round" };
  const props = { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true", class: "pe-icon" };
  return svg("svg", props, svg("path", { d, ...paint }));
}

// The buttons that play, and the slider: `to` a place, `by` so many on, `toggle` to play and pause, forwards or back.
function playParts(noun, { to, by, toggle, pace }) {
  const key = (sign, label, click) => signButton(sign, label, click, { class: "pe-btn square" });
  const parts = {
    play: button({ class: "pe-btn go pe-play", onclick: () => toggle() }),
    range: el("input", { type: "range", min: 0, step: 1, oninput: (event) => to(Number(event.target.value)) }),
    back: key(arrow("M8 3 2 8l6 5zM14 3 8 8l6 5z"), "Play backwards", () => toggle(-1)),
    marks: el("div", "pe-marks"),
    said: el("span", "pe-line"),
  };
  const choose = (event) => pace(Number(event.target.value));
  const speeds = SPEEDS.map((value) => el("option", { value, selected: value === 1 }, `${value}×`));
  const keys = [
    key(arrow("M3 3v10M13 3 6 8l7 5z"), "To the beginning (Home)", () => to(0)),
    parts.back,
    key(arrow("M11 3 4 8l7 5z"), `One ${noun} back (←)`, () => by(-1)),
    parts.play,
    key(arrow("M5 3l7 5-7 5z"), `One ${noun} on (→)`, () => by(1)),
    key(arrow("M13 3v10M3 3l7 5-7 5z"), "To the end (End)", () => to(Infinity)),
  ];
  const slide = el("div", "pe-slide", parts.range, parts.marks);
  const speed = el("select", { "aria-label": "Speed", onchange: choose }, speeds);
  const paced = el("label", "pe-line pe-inline pe-gap-m", "Speed ", speed);
  parts.bar = el("div", "pe-controls pe-row pe-wrap", el("span", "pe-keys pe-inline pe-gap-s", keys), slide, parts.said, paced);
  return parts;
}

function drawPlay(parts, playing, back, over = false) {
  fill(parts.play, playing ? "Pause" : "Play");
  press(parts.back, "aria-pressed", back);
  const again = "Play this run from the beginning (space)";
  parts.play.setAttribute("title", playing ? "Pause (space)" : over ? again : "Play (space)");
}

// Space plays and pauses, but on a button, which it presses.
function onSpace(root, toggle) {
  root.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target.tagName === "BUTTON" || event.target.type === "checkbox") return;
    event.preventDefault();
    toggle();
  });
}

const LETTER = 0.0165; // share of the slider's width that a letter below it takes

// A mark says what it stands for: where its name has no room there is none.
function marksAt(places) {
  let free = -1;
  return places.flatMap(([at, word]) => {
    if (at < free || at + word.length * LETTER >= 1.05) return [];
    free = at + word.length * LETTER + 0.015;
    return el("i", { style: { left: `${at * 100}%` } }, el("span", {}, word));
  });
}
