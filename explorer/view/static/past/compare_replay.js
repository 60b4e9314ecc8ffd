// Two runs played again together: what each had come to at the same step, one beside the other.
function compareReplay(view, found) {
  const replay = (view.replay ??= { at: 0, speed: 1, forward: 1, timer: null });
  const pairs = pairedSteps(found);
  const last = pairs.reduce((sum, { most }) => sum + most, 0);
  const to = (wish) => {
    replay.at = between(0, wish, last);
    replay.draw();
  };
  const pause = () => {
    clearTimeout(replay.timer);
    replay.timer = null;
    replay.draw();
  };
  replay.tick = () => {
    if (view.root.hidden || !view.root.isConnected) return pause();
    to(replay.at + replay.forward);
    if (replay.at === (replay.forward > 0 ? last : 0)) return pause();
    replay.timer = setTimeout(() => replay.tick(), BEAT / replay.speed);
    return null;
  };
  const toggle = (forward = 1) => {
    if (replay.timer && replay.forward === forward) return pause();
    clearTimeout(replay.timer);
    replay.forward = forward;
    if (forward > 0 && replay.at === last) replay.at = 0;
    return replay.tick();
  };
  const pace = (speed) => (replay.speed = speed);
  const parts = playParts("step", { to, by: (step) => to(replay.at + step), toggle, pace });
  parts.bar.querySelector("select").value = String(replay.speed);
  parts.range.setAttribute("aria-label", "Step of both runs");
  fill(parts.marks, marksAt(pairs.map(({ from, word }) => [(from + 1) / last, word])));
  const halves = inHalves(() => el("div", { class: "pe-together pe-scroll", tabindex: 0 }));
  const lanes = [...halves.querySelectorAll(".pe-together")];
  const root = el("div", { class: "pe-stepped", role: "group", "aria-label": "Both runs, step by step" }, parts.bar, halves);
  onSpace(root, () => toggle());
  replay.draw = () => {
    drawPlay(parts, Boolean(replay.timer), Boolean(replay.timer) && replay.forward < 0);
    Object.assign(parts.range, { max: last, value: replay.at });
    const now = pairs.findLast(({ from }) => from < replay.at);
    const said = `Step ${replay.at} of ${last}`;
    parts.range.setAttribute("aria-valuetext", now ? `${said}, ${now.word}` : said);
    fill(parts.said, el("b", {}, said), now && el("span", { class: "pe-quiet" }, ` · ${now.word}`));
    SIDES.forEach((side, at) => drawLane(lanes[at], view, found, side, pairs.map(({ from, items }) => items[at].slice(0, Math.max(0, replay.at - from)))));
  };
  replay.draw();
  return root;
}

// The steps of both, each with what came of it, one by one: the first of A beside the first of B, and the last beside
// the last, so that both have their answer at the same time.
function pairedSteps(found) {
  const lanes = SIDES.map((side) => stepsOf(found, side));
  const length = Math.max(...lanes.map((lane) => lane.length));
  let from = 0;
  return Array.from({ length }, (_, at) => {
    const items = lanes.map((lane) => (at === length - 1 ? (lane.at(-1) ?? []) : at < lane.length - 1 ? lane[at] : []));
    const most = Math.max(...items.map((each) => each.length));
    const pair = { from, most, items, word: items.find((each) => each.length)[0].step.name };
    from += most;
    return pair;
  });
}

function stepsOf(found, side) {
  const kept = found.groups.flatMap(({ rows }) => rows).filter((row) => row[side].number !== null);
  kept.sort((a, b) => a[side].number - b[side].number);
  const steps = found[side].steps
    .map((step, at) => ({ step, at }))
    .filter(({ step }) => found.question === null || step.kind !== "Question");
  const said = found[side].answer.filter(({ runs }) => runs.some(({ text, cites }) => text.trim() || cites.length));
  return steps.map(({ step, at }, place) => [
    { step },
    ...kept.filter((row) => row[side].step === at).map((row) => ({ row })),
    ...(place === steps.length - 1 ? said.map((part) => ({ part })) : []),
  ]);
}

function drawLane(lane, view, found, side, stages) {
  const shown = stages.filter((items) => items.length);
  const none = el("p", { class: "pe-quiet" }, "Press Play, or go on step by step.");
  const stage = ([{ step }, ...came]) => laneStage(view, found[side], side, step, came);
  fill(lane, el("div", { class: "pe-together-all pe-stack" }, shown.length ? shown.map(stage) : none));
  const newest = [...lane.querySelectorAll(".pe-came-one")].at(-1);
  newest?.classList.add("on");
  lane.scrollTop = 0; // its end
}

function laneStage(view, run, side, step, came) {
  const one = (...inner) => el("li", { class: "pe-came-one" }, inner);
  const told = el("span", { class: "pe-quiet pe-slim pe-anywhere" }, step.text);
  return el(
    "section",
    {},
    el("div", { class: "pe-came-one pe-row pe-wrap" }, icon(step.kind, view.store.looks, 18), el("b", {}, step.name), told),
    step.kind === "Grounding" && ideasHalf(run, side),
    el(
      "ul",
      { class: "pe-plain" },
      came.map(({ row, part }) => one(part ? saidPart(view, part, side) : keptFact(row, side))),
    ),
  );
}

function keptFact(row, side) {
  const { score } = row[side];
  const match = score === null ? null : el("span", { class: "pe-quiet pe-rigid pe-nowrap" }, ` score ${score.toFixed(2)}`);
  return [onlyOn(row.side !== "both", side, el("bdi", { title: row.label }, row.label)), match];
}
