// Where everything stands in the drawing of two runs. Of each width it has where a column begins and how wide it is, the
// gaps that lines turn in, and how wide facts may be; the wider one is taken where there is room.
const BOTH = [
  { question: 16, asked: 126, steps: 158, stepW: 150, facts: 366, least: 178, most: 420, turn: 30, gap: 56, first: 14, apart: 5, trunks: 6, names: 136 },
  { question: 16, asked: 140, steps: 196, stepW: 240, facts: 546, least: 260, most: 600, turn: 44, gap: 110, first: 24, apart: 8, trunks: 9, names: 250 },
];
const TOP = 16;
const APART = [10, 14]; // facts from one another, and steps
const LINE = 15; // of what is small
const MOST_LINES = 8; // of a part of a fact, and of where a passage stands
const STRONG = "600 12.5px";
const SMALL = "12px";
const EDGES = 34; // beside the drawing, with the bar that scrolls it

// Whether a question that both asked has room before the lanes; else each lane begins with it and documents stay in sight.
function hasRoomForQuestion(room) {
  const { facts, least, gap, names } = BOTH[0];
  return room >= facts + least + gap + names;
}

function planBoth(found, rows, room, face) {
  const isAlike = found.question !== null; // or each lane begins with its own
  const shortfall = BOTH.map(({ steps, question }) => (isAlike ? 0 : steps - question));
  const spare = BOTH.map(({ facts, gap, names }, at) => room - (facts + gap + names - shortfall[at]));
  const at = Number(spare[1] >= BOTH[1].least);
  const of = BOTH[at];
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
    const room = factW - 20 - KEPT_BY[row.side].length * 46;
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
