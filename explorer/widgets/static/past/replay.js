// A stored run played again: the messages of the live run, one by one, forwards and back.
const SPEEDS = [0.5, 1, 2, 4];
const BEAT = 700; // ms that a step stays at the usual speed; a piece of text is over sooner

const LETTER = 0.0165; // share of the slider's width that a letter below it takes

const lastFrame = (store) => store.frames.length - 1;

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
    if (store.nodes.has(selected)) select(store, selected, source?.node);
    else if (selected || source) clearSelection(store);
  }
  store.tell("played");
}

function makePlayer(store) {
  const player = { timer: null, speed: 1, waits: false, frames: null };
  player.pause = () => {
    clearTimeout(player.timer);
    player.timer = null;
    store.tell("played");
  };
  player.play = () => {
    store.waiting = false;
    if (store.at >= lastFrame(store)) playTo(store, 0);
    player.frames = store.frames;
    player.timer = setTimeout(() => tick(store, player), BEAT / player.speed / 2);
    store.tell("played");
  };
  player.toggle = () => (player.timer ? player.pause() : player.play());
  player.to = (at) => {
    store.waiting = false;
    playTo(store, at);
  };
  return player;
}

function tick(store, player) {
  if (store.frames !== player.frames) return player.pause(); // another run has taken its place
  playTo(store, store.at + 1);
  const frame = store.frames[store.at];
  if (store.at === lastFrame(store)) return player.pause();
  if (player.waits && frame.teaching) return waitHere(store, player);
  const beat = frame.nodes ? BEAT : BEAT / 8;
  player.timer = setTimeout(() => tick(store, player), beat / player.speed);
  return null;
}

function waitHere(store, player) {
  store.waiting = true;
  if (store.selected) clearSelection(store);
  player.pause();
}

function replayView(store, act) {
  const player = makePlayer(store);
  const root = el("div", { class: "pe-replay pe-edged", role: "group", "aria-label": "Replay" });
  const title = el("div", { class: "pe-head pe-row pe-rigid pe-slim pe-tinted pe-title" });
  const parts = controls(store, player);
  root.append(title, parts.bar);
  root.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target.tagName === "BUTTON" || event.target.type === "checkbox") return;
    event.preventDefault();
    player.toggle();
  });
  const draw = () => {
    root.hidden = store.mode !== "past" || !store.frames;
    if (root.hidden) return player.timer && player.pause();
    fill(title, titleOf(store, act));
    return drawControls(store, player, parts);
  };
  return { root, draw, player };
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

function controls(store, player) {
  const press = (sign, label, click) =>
    button({ class: "pe-btn square", title: label, "aria-label": label, onclick: click }, sign);
  const parts = {
    play: button({ class: "pe-btn go pe-play", onclick: player.toggle }),
    range: el("input", {
      type: "range",
      min: 0,
      step: 1,
      "aria-label": "Event of the run",
      oninput: (event) => player.to(Number(event.target.value)),
    }),
    marks: el("div", { class: "pe-marks" }),
    said: el("span", { class: "pe-line" }),
  };
  const speed = el(
    "select",
    { "aria-label": "Speed", onchange: (event) => (player.speed = Number(event.target.value)) },
    SPEEDS.map((value) => el("option", { value, selected: value === 1 }, `${value}×`)),
  );
  const waits = el("input", { type: "checkbox", onchange: (event) => (player.waits = event.target.checked) });
  parts.bar = el(
    "div",
    { class: "pe-controls pe-row pe-wrap" },
    el(
      "span",
      { class: "pe-keys pe-inline" },
      press(arrow("M3 3v10M13 3 6 8l7 5z"), "To the beginning (Home)", () => player.to(0)),
      press(arrow("M11 3 4 8l7 5z"), "One event back (←)", () => player.to(store.at - 1)),
      parts.play,
      press(arrow("M5 3l7 5-7 5z"), "One event on (→)", () => player.to(store.at + 1)),
      press(arrow("M13 3v10M3 3l7 5-7 5z"), "To the end (End)", () => player.to(lastFrame(store))),
    ),
    el("div", { class: "pe-slide" }, parts.range, parts.marks),
    parts.said,
    el("label", { class: "pe-line pe-inline" }, "Speed ", speed),
    el("label", { class: "pe-line pe-inline" }, waits, " Wait at each stage"),
  );
  return parts;
}

function drawControls(store, player, parts) {
  const last = lastFrame(store);
  const playing = Boolean(player.timer);
  fill(parts.play, playing ? "Pause" : store.waiting ? "Next" : "Play");
  parts.play.setAttribute("title", playing ? "Pause (space)" : "Play (space)");
  Object.assign(parts.range, { max: last, value: store.at });
  const time = store.total?.time ? ` · ${store.total.time}` : "";
  parts.range.setAttribute("aria-valuetext", `Event ${store.at} of ${last}${time}`);
  fill(parts.said, el("b", {}, `Event ${store.at} of ${last}`), el("span", { class: "pe-quiet" }, time));
  if (parts.drawn === store.frames) return;
  parts.drawn = store.frames;
  fill(parts.marks, marksOf(store));
}

// A tick where a stage has ended; its name where there is room for it.
function marksOf(store) {
  const last = lastFrame(store) || 1;
  let free = -1;
  return store.frames.flatMap(({ teaching }, i) => {
    if (!teaching) return [];
    const at = i / last;
    const word = store.looks.kinds[teaching.kind]?.word ?? teaching.term;
    const named = at >= free && at + word.length * LETTER < 1.05;
    if (named) free = at + word.length * LETTER + 0.015;
    return [el("i", { style: { left: `${at * 100}%` } }, named && el("span", {}, word))];
  });
}
