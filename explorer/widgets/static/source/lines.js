// Texts whose lines were broken to a width: such a break shows as a space, so that the text fills its panel. It stays
// in the text, so that what is read, copied or checked is what the document holds.
// A text that has `begun` before starts somewhere in its first line.
const BROKEN = { least: 40, most: 140, share: 0.6 };
const NEW_LINE = /^\s*([-*•#|>]|\d+[.)]\s|\d+:|\d\S*\s+\d)/u; // items, headings, tables, times: their line is meant

function softBreaks(whole, begun = false) {
  const lines = whole.split("\n");
  const longest = Math.max(...lines.map((line) => line.length));
  const soft = new Set();
  if (longest < BROKEN.least || longest > BROKEN.most) return soft;
  let at = 0;
  lines.forEach((line, i) => {
    at += line.length;
    const next = lines[i + 1];
    const full = line.length >= longest * BROKEN.share || (begun && i === 0);
    if (next?.trim() && full && !NEW_LINE.test(next)) soft.add(at);
    at += 1;
  });
  return soft;
}

// A piece of the text that begins at `start`, in parts for an element.
function flowing(text, start, soft) {
  const parts = [];
  let from = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (!soft.has(start + at)) continue;
    parts.push(text.slice(from, at), el("span", { class: "pe-soft" }, "\n"));
    from = at + 1;
  }
  return [...parts, text.slice(from)];
}
