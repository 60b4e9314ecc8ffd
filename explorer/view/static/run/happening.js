const CLICK_ANYTHING = "Click anything in the graph or the answer to see what it is and where it comes from.";

// Until something is selected: what happens, newest first, in order once it is over; and what a stage is for.
function happeningView(store, act) {
  const log = el("ul", "pe-log pe-plain");
  const body = el("div", { class: "pe-body pe-scroll", tabindex: 0, "aria-label": "Events of the run" });
  const [keepParts, keepLines, keepWords] = [keeping(), keeping(), keeping()];
  return () => {
    const running = store.state === "running";
    const last = store.log.length - 1;
    const timed = areTimed(store);
    const lines = store.log.map((line, at) => {
      const fresh = running && (store.back ? isToldLine(store, at) : at === last);
      return [JSON.stringify([at, fresh, line, timed]), () => logLine(line, fresh, store, timed)];
    });
    fill(log, keepLines(running ? lines.reverse() : lines));
    const words = explained(store);
    fill(body, keepWords([[JSON.stringify(words), () => wordsOn(words, store)]]), log);
    const state = running && !store.frames && (store.waiting ? WAITING_FOR_YOU : "live");
    const pill = state && el("span", "pe-pill pe-inline pe-rigid pe-nowrap", state);
    const title = titleOfEvents(store, running);
    const onRecord = noteOnRecord(store);
    const note = el("span", "pe-quiet", onRecord);
    const mattered = matteredOfAnswer(store, act);
    return keepParts([
      [`${title} ${state}`, () => head(title, grow(), pill)],
      ["body", () => body],
      [`${onRecord} ${Boolean(mattered)} ${store.run}`, () => el("div", "pe-foot pe-row pe-wrap pe-rigid pe-fine", note, mattered)],
    ]);
  };
}

// Whether a line is of the stage that is explained again.
function isToldLine({ told, back }, at) {
  const now = told.at(-1 - back);
  const before = told.findLast(({ lines }) => lines < now.lines);
  return at < now.lines && at >= (before?.lines ?? 0);
}

function titleOfEvents(store, running) {
  if (store.frames) return `At event ${store.at} of ${lastFrame(store)}`;
  return running ? "What is happening" : "What happened";
}

// Of a run that is played again the record may have no time but that of its beginning.
const areTimed = ({ frames, log }) => !frames || log.some(({ at }, place) => place > 0 && at);

function noteOnRecord(store) {
  const { frames, state } = store;
  if (frames) return areTimed(store) ? "Played from the record; times are what the steps took by then." : "Played from the record.";
  if (state === "running") return "All that is shown is on record already, and stays there after Stop.";
  return "All steps of this run are on record.";
}

function logLine(line, fresh, store, timed) {
  return el(
    "li",
    fresh ? "new" : null,
    icon(line.kind, store.looks, 16),
    el("span", "pe-anywhere", line.text),
    timed && el("span", "pe-quiet", line.at),
  );
}

// In a run that is played again the stage that has ended, else the stage that is under way; a lesson says so elsewhere.
function explained(store) {
  if (lessonOf(store)) return null;
  if (!store.frames) return store.state === "running" ? store.note : null;
  return store.at === lastFrame(store) ? null : store.teaching;
}

function wordsOn(words, store) {
  if (!words) return el("p", "pe-hint pe-quiet", CLICK_ANYTHING);
  return el("div", "pe-happens", el("b", {}, words.word), words.term && [" ", termOf(words.term, store)], ": ", words.text);
}
