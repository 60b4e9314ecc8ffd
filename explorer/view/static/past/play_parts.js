// The buttons, slider and marks by which a run, or two side by side, are played.
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
    back: key(arrow("M8 3 2 8l6 5zM14 3 8 8l6 5z"), "Play backwards", () => toggle(-1)),
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

function drawPlay(parts, playing, back, over = false) {
  fill(parts.play, playing ? "Pause" : over ? "Play again" : "Play");
  press(parts.back, "aria-pressed", back);
  const again = "Play this run again, from the beginning (space)";
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
