// Where everything stands in the drawing of two runs. Of each width it has where a column begins and how wide it is, the
// gaps that lines turn in, and how wide facts may be; the wider one is taken where there is room.
const BOTH = [
  { question: 16, asked: 110, steps: 144, stepW: 150, facts: 354, least: 190, most: 420, turn: 30, gap: 56, first: 14, apart: 5, trunks: 6, names: 150 },
  { question: 16, asked: 140, steps: 196, stepW: 240, facts: 546, least: 260, most: 600, turn: 44, gap: 110, first: 24, apart: 8, trunks: 9, names: 250 },
];
const PITCH = 50;
const TOP = 16;
const FACT_H = 40;
const STEP_H = 42;
const EDGES = 34; // beside the drawing, with the bar that scrolls it

function planBoth(found, rows, room) {
  const isAlike = found.question !== null; // or there is no question before the lanes, and no room for one
  const shortfall = BOTH.map(({ steps, question }) => (isAlike ? 0 : steps - question));
  const spare = BOTH.map(({ facts, gap, names }, at) => room - (facts + gap + names - shortfall[at]));
  const at = Number(spare[1] >= BOTH[1].least);
  const of = BOTH[at];
  const factW = between(of.least, spare[at], of.most);
  const lanes = {};
  let y = TOP;
  for (const side of SIDES) {
    const steps = found[side].steps
      .map((step, at) => ({ ...step, at }))
      .filter((step) => !(isAlike && step.kind === "Question"));
    lanes[side] = { y, steps: steps.map((step, i) => ({ ...step, y: y + 30 + i * (STEP_H + 14) })) };
    y += 30 + steps.length * (STEP_H + 14) + 18;
  }
  const facts = rows.map((row, i) => ({ row, y: TOP + i * PITCH }));
  const end = of.facts + factW;
  const documents = planDocuments(facts, end + of.gap);
  const last = documents.at(-1)?.y ?? 0;
  const height = Math.max(y, TOP + facts.length * PITCH, last + 50) + 8;
  return { of, lanes, facts, factW, end, documents, left: shortfall[at], height, width: end + of.gap + of.names };
}

// A document stands beside the first fact that leads to it, or as near below as there is room.
function planDocuments(facts, x) {
  const documents = new Map();
  for (const { row, y } of facts) {
    for (const { document, title } of row.sources) {
      if (!documents.has(document)) documents.set(document, { document, title, x, y: y + FACT_H / 2 });
    }
  }
  const placed = [...documents.values()];
  placed.forEach((one, i) => (one.y = Math.max(one.y, i ? placed[i - 1].y + 48 : 0)));
  return placed;
}
