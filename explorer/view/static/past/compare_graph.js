// Where everything stands in the drawing of two runs. Of each width it has where a column begins and how wide it is, the
// gaps that lines turn in, and how wide facts may be; the wider one is taken where there is room.
const BOTH = [
  { question: 16, asked: 126, steps: 158, stepW: 150, facts: 366, least: 178, most: 420, turn: 30, gap: 56, names: 136 },
  { question: 16, asked: 140, steps: 196, stepW: 240, facts: 546, least: 260, most: 600, turn: 44, gap: 110, names: 250 },
];
const TRUNKS = [{ first: 14, apart: 5, trunks: 6 }, { first: 24, apart: 8, trunks: 9 }]; // of lines to documents, in these gaps
const TOP = 16;
const APART = [10, 14]; // facts from one another, and steps
const LINE = 15; // of what is small
const MOST_LINES = 8; // of a part of a fact, and of where a passage stands
const STRONG = "600 12.5px";
const SMALL = "12px";
const EDGES = 34; // beside the drawing, with the bar that scrolls it

function planBoth(found, rows, room, face) {
  const isAlike = found.question !== null; // or each lane begins with its own
  const shortfall = BOTH.map(({ steps, question }) => (isAlike ? 0 : steps - question));
  const spare = BOTH.map(({ facts, gap, names }, at) => room - (facts + gap + names - shortfall[at]));
  const at = Number(spare[1] >= BOTH[1].least);
  const of = { ...BOTH[at], ...TRUNKS[at] };
  const factW = between(of.least, spare[at], of.most);
  const lanes = {};
  let y = TOP;
  for (const side of SIDES) {
    lanes[side] = planLane(found[side], y, of, face, isAlike);
    y = lanes[side].end + 18;
  }
  const facts = planFacts(rows, factW, face);
  const end = of.facts + factW;
  const names = Math.max(of.names, room + shortfall[at] - end - of.gap);
  const documents = planDocuments(facts, end + of.gap, (title) => wrap(title, names - 36, `${SMALL} ${face}`, MOST_LINES));
  const lowest = Math.max(y, (facts.at(-1)?.end ?? 0) + APART[0], (documents.at(-1)?.y ?? 0) + 50);
  return { of, lanes, facts, factW, end, documents, left: shortfall[at], height: lowest + 8, width: end + of.gap + names };
}

// The steps of a run below its title, each as high as its words need.
function planLane({ title, steps }, y, of, face, isAlike) {
  const words = wrap(title, of.stepW - 26, `${STRONG} ${face}`, 3);
  let end = y + LINE + words.length * LINE;
  const placed = steps
    .map((step, at) => ({ ...step, at }))
    .filter((step) => !(isAlike && step.kind === "Question"))
    .map((step) => {
      const lines = wrap(step.text, of.stepW - 40, `${SMALL} ${face}`, MOST_LINES);
      const one = { ...step, lines, y: end, h: 27 + lines.length * LINE };
      end += one.h + APART[1];
      return one;
    });
  return { y, words, steps: placed, end };
}

// Facts and passages below one another, with all of their words: only a long passage ends in dots.
function planFacts(rows, factW, face) {
  let y = TOP;
  return rows.map((row) => {
    const isFact = row.parts.length > 1;
    const [subject, said] = isFact
      ? [row.parts[0], `— ${row.parts[1]} → ${row.parts[2]}`]
      : [row.sources[0]?.where ?? "", row.parts[0]];
    const room = factW - 20 - KEPT_BY[row.kept].length * 46;
    const first = wrap(subject, room, `${STRONG} ${face}`, MOST_LINES);
    const second = wrap(said, room, `${SMALL} ${face}`, isFact ? MOST_LINES : 3);
    const h = LINE * (first.length + second.length) + 10;
    const fact = { row, first, second, y, h, middle: y + h / 2, end: y + h };
    y += h + APART[0];
    return fact;
  });
}

// A document stands beside the first fact that leads to it, or as near below as there is room.
function planDocuments(facts, x, linesOf) {
  const documents = new Map();
  for (const { row, middle } of facts) {
    for (const { document, title } of row.sources) {
      if (!documents.has(document)) documents.set(document, { document, title, lines: linesOf(title), x, y: middle });
    }
  }
  let free = 0;
  return [...documents.values()].map((one) => {
    const half = Math.max(48, LINE * one.lines.length + APART[1]) / 2;
    const y = Math.max(one.y, free + half);
    free = y + half;
    return { ...one, y };
  });
}

// Both runs in one drawing: question and steps at the left, the facts that either kept, then the documents.
// A is solid and B is dashed, and each fact carries the letters of those who kept it, not of those who kept its words.
function compareGraph(view, compared) {
  const room = view.root.clientWidth - EDGES;
  const { facts, least, gap, names } = BOTH[0];
  const hasRoom = room >= facts + least + gap + names; // else each lane begins with the question, and documents stay in sight
  const found = hasRoom ? compared : { ...compared, question: null };
  const rows = orderedRows(found, view.differences);
  const face = getComputedStyle(view.root).fontFamily || "sans-serif";
  const plan = planBoth(found, rows, room, face);
  const [width, { left, height }] = [plan.width - plan.left, plan];
  const drawn = svg(
    "svg",
    { class: "pe-both pe-rigid", width, height, viewBox: `${left} 0 ${width} ${height}`, role: "img" },
    svg("title", {}, `Both runs in one graph. ${found.summary}.`),
    bothArcs(plan),
    bothQuestion(plan, found, face),
    SIDES.map((side) => bothSteps(plan, found, side, view.store.looks)),
    plan.facts.map((fact) => bothFact(fact, plan)),
    plan.documents.map((one) => bothDocument(one, view.store.looks)),
  );
  const scrolls = { class: "pe-both-scroll pe-scroll", tabindex: 0, role: "group", "aria-label": "Both runs in one graph" };
  const legend = el("figcaption", "pe-both-legend pe-row pe-wrap pe-fine pe-quiet", bothLegend());
  const words = el("div", "pe-hear", bothInWords(found, rows));
  return el("figure", "pe-both-figure", el("div", scrolls, drawn), legend, words);
}

const bothPath = (side, d) => svg("path", { class: `pe-both-arc ${side}`, d });
const titled = (title, ...children) => svg("g", {}, svg("title", {}, title), ...children);

function bothArcs(plan) {
  const arcs = [];
  const { of } = plan;
  for (const side of SIDES) {
    const shift = side === "a" ? -5 : 5;
    const { steps } = plan.lanes[side];
    const [keepers, found] = [new Map(), new Map()];
    const x = of.steps + of.stepW / 2;
    steps.slice(1).forEach((step, i) => arcs.push(bothPath(side, `M${x} ${steps[i].y + steps[i].h}V${step.y}`)));
    for (const fact of plan.facts) {
      if (!KEPT_BY[fact.row.kept].includes(side)) continue;
      const y = fact.middle + shift;
      const keeper = steps.find((step) => step.at === fact.row[side].step);
      if (keeper) keepers.set(keeper, [...(keepers.get(keeper) ?? []), y]);
      for (const { document, side: holder } of fact.row.sources) {
        if (!KEPT_BY[holder].includes(side)) continue;
        const one = plan.documents.find((other) => other.document === document);
        found.set(one, new Set([...(found.get(one) ?? []), y]));
      }
    }
    for (const [keeper, ys] of keepers) {
      const from = [of.steps + of.stepW, keeper.y + keeper.h / 2];
      arcs.push(...bothComb(side, from, of.facts, ys, of.facts - of.turn + 3 * shift));
    }
    for (const [one, ys] of found) {
      const trunk = plan.end + of.first + of.apart * (plan.documents.indexOf(one) % of.trunks) + shift;
      arcs.push(...bothComb(side, [one.x, one.y + shift / 2], plan.end, [...ys], trunk));
    }
  }
  return arcs;
}

// A bracket: one upright line, with a branch to each that hangs on it; each piece once, or dashes would run into others.
function bothComb(side, [x, y], end, ys, trunk) {
  const [first, last] = [Math.min(y, ...ys), Math.max(y, ...ys)];
  const branches = [...new Set(ys)].map((at) => bothPath(side, `M${trunk} ${at}H${end}`));
  return [bothPath(side, `M${x} ${y}H${trunk}`), bothPath(side, `M${trunk} ${first}V${last}`), ...branches];
}

// A question that both asked stands once, before both lanes.
function bothQuestion(plan, found, face) {
  if (found.question === null) return [];
  const { asked: width, question: x, steps } = plan.of;
  const lines = wrap(found.question, width - 20, `${STRONG} ${face}`, 12);
  const height = 30 + lines.length * 17;
  const y = TOP + 30;
  const down = (side) => {
    const first = plan.lanes[side].steps[0];
    if (!first) return [];
    const at = first.y + first.h / 2;
    if (at < y + height) return [bothPath(side, `M${x + width} ${at}H${steps}`)];
    return [bothPath(side, `M${x + width / 2} ${y + height}V${at - 12}q0 12 12 12H${steps}`)];
  };
  return [
    ...SIDES.flatMap(down),
    ...bothOutline(SIDES, x, y, width, height, 14),
    drawnText(x + 10, y + 19, "Question", 11.5, "kind"),
    ...lines.map((line, i) => drawnText(x + 10, y + 37 + i * 17, line, 12.5, "strong")),
    svg("title", {}, found.question),
  ];
}

// Shared things have both outlines: the solid one of A around the dashed one of B.
function bothOutline(sides, x, y, width, height, radius, kind = "") {
  const shape = (side, inset) => {
    const size = { width: width - 2 * inset, height: height - 2 * inset, rx: Math.max(0, radius - inset) };
    return svg("rect", { class: `pe-both-box ${side} ${kind}`, x: x + inset, y: y + inset, ...size });
  };
  return sides.map((side, i) => shape(side, i * 3));
}

function drawnText(x, y, text, size, kind = "", anchor = "start") {
  return svg("text", { x, y, class: `pe-both-text ${kind}`, "font-size": size, "text-anchor": anchor }, text);
}

function bothSteps(plan, found, side, looks) {
  const { y, words, steps } = plan.lanes[side];
  const x = plan.of.steps;
  const lines = words.map((line, i) => drawnText(x + 26, y + 14 + i * LINE, line, 12.5, "strong"));
  const badge = svg("rect", { class: `pe-both-box badge ${side}`, x, y, width: 18, height: 18, rx: 2 });
  const letter = drawnText(x + 9, y + 13.5, side.toUpperCase(), 12, `strong ${side}`, "middle");
  return [titled(found[side].title, badge, letter, lines), steps.map((step) => bothStep(step, plan.of, side, looks))];
}

function bothStep({ name, text, kind, lines, y, h }, { steps: x, stepW }, side, looks) {
  return titled(
    `${name}: ${text}`,
    ...bothOutline([side], x, y, stepW, h, 3),
    icon(kind, looks, 18, { x: x + 8, y: y + 12 }),
    drawnText(x + 34, y + 17, name, 12.5, "strong"),
    ...lines.map((line, i) => drawnText(x + 34, y + 33 + i * LINE, line, 12, "quiet")),
  );
}

function bothFact({ row, first, second, y, h, middle }, plan) {
  const [look, radius] = row.kind === "ChunkSelection" ? ["passage", 3] : ["fact", 10];
  const x = plan.of.facts;
  const sides = KEPT_BY[row.kept];
  const numbers = sides.map((side, i) => {
    const right = x + plan.factW - 10 - (sides.length - 1 - i) * 46;
    return drawnText(right, middle + 5, `${side.toUpperCase()} ${row[side].cited ?? ""}`.trim(), 12, `strong ${side}`, "end");
  });
  return [
    ...(row.sources.length ? [] : [drawnText(plan.end + 12, middle + 5, "no recorded source", 12, "quiet")]),
    titled(
      row.label,
      ...bothOutline(sides, x, y, plan.factW, h, radius, look),
      ...first.map((line, i) => drawnText(x + 12, y + 17 + i * LINE, line, 12.5, `strong ${look}`)),
      ...second.map((line, i) => drawnText(x + 12, y + 17 + (first.length + i) * LINE, line, 12, look)),
      ...numbers,
    ),
  ];
}

function bothDocument(one, looks) {
  const sign = icon("Document", looks, 24, { x: one.x - 2, y: one.y - 12 });
  const from = one.y + 4 - (one.lines.length - 1) * (LINE / 2);
  const words = one.lines.map((line, i) => drawnText(one.x + 28, from + i * LINE, line, 12));
  return titled(one.title, sign, ...words);
}

function bothLegend() {
  const line = (side) =>
    svg("svg", { class: "pe-both pe-rigid", width: 30, height: 8, "aria-hidden": "true" }, bothPath(side, "M0 4H30"));
  return [
    ...SIDES.map((side) => [sideBadge(side), line(side), side === "a" ? "solid" : "dashed"]),
    "both outlines = in both runs",
    "“A 3” = number 3 in the answer of A",
    "steps go down · facts lead to their documents",
  ].map((item) => el("span", "pe-inline pe-gap-m", item));
}

// The same in words, for those who do not see the drawing.
function bothInWords(found, rows) {
  const citedAs = ({ cited }) => (cited === null ? "" : `, number ${cited} in its answer`);
  const keptBy = (row) => {
    const kept = KEPT_BY[row.kept];
    const held = KEPT_BY[row.side].filter((side) => !kept.includes(side));
    return [
      ...kept.map((side) => `kept by ${side.toUpperCase()}${citedAs(row[side])}`),
      ...held.map((side) => `its words are in what ${side.toUpperCase()} kept`),
    ].join(", ");
  };
  const holders = ({ kept, sources }, title) => {
    const sides = new Set(sources.filter((one) => one.title === title).flatMap((one) => KEPT_BY[one.side]));
    return kept === "both" && sides.size === 1 ? ` (in ${[...sides][0].toUpperCase()} alone)` : "";
  };
  const titles = ({ sources }) => [...new Set(sources.map(({ title }) => title))];
  const from = (row) => titles(row).map((title) => title + holders(row, title)).join("; ") || "no recorded source";
  const steps = (side) => found[side].steps.map((step) => `${step.name}, ${step.text}. `).join("");
  return [
    SIDES.map((side) => el("p", {}, `Steps of ${side.toUpperCase()}: `, steps(side))),
    el("ul", {}, rows.map((row) => el("li", {}, `${row.label}: ${keptBy(row)}; from ${from(row)}`))),
  ];
}
