// Texts whose lines were broken to a width: such a break shows as a space, with the blanks that indent the next line, so
// that the text fills its panel. They stay in the text, so that what is read, copied or checked is what the document holds.
// A text that has `begun` before starts somewhere in its first line.
const BROKEN = { least: 40, most: 140, share: 0.6 };
// items, headings, tables, code, times, labels: their line is meant
const NEW_LINE = /^\s*([-*•#|>]|`{3}|~{3}|\d+[.)]\s|\d+:|\d\S*\s+\d|\p{Lu}[\p{L}-]{1,15}: )/u;
const FENCE = /^[\s>]*(`{3,}|~{3,})/u; // where code begins or ends

// Which of the lines are code, with the fences around it.
function codeLines(lines) {
  let open = null;
  return lines.map((line) => {
    const fence = FENCE.exec(line)?.[1];
    const inside = Boolean(open || fence);
    if (fence) open = open ? (fence.startsWith(open) ? null : open) : fence;
    return inside;
  });
}

// Where breaks that show as a space are, each with where the next line's words begin.
function softBreaks(whole, begun = false) {
  const lines = whole.split("\n");
  const code = codeLines(lines);
  const longest = Math.max(...lines.map((line) => line.length));
  const soft = [];
  if (longest < BROKEN.least || longest > BROKEN.most) return soft;
  let at = 0;
  lines.forEach((line, i) => {
    at += line.length;
    const next = lines[i + 1];
    const full = line.length >= longest * BROKEN.share || (begun && i === 0);
    if (next?.trim() && full && !code[i] && !NEW_LINE.test(next)) soft.push([at, at + 1 + next.length - next.trimStart().length]);
    at += 1;
  });
  return soft;
}

const HEADING = /^(#{1,6}[ \t]+)\S/u;
const ROW = /^\s*\|.*\|\s*$/u; // of a table
const RULE = /^\s*\|[\s:|-]*-{2}[\s:|-]*$/u; // below the heads of a table
const BOLD = /(\*\*)(?=\S)([^*\n]+)(\*\*)/gu;

// What is shown otherwise than it stands there, by place: soft breaks, and the marks of Markdown, which are not seen but
// stay in the text; headings and what is marked as bold are bold.
function styles(whole, begun = false) {
  const found = softBreaks(whole, begun).map(([at, end]) => [at, end, "pe-soft"]);
  const lines = whole.split("\n");
  const code = codeLines(lines);
  let at = 0;
  for (const [i, line] of lines.entries()) {
    const end = at + line.length;
    const marks = !code[i] && HEADING.exec(line)?.[1].length;
    if (code[i]) found.push([at, end, "pe-code"]);
    else if (marks) found.push([at, at + marks, "pe-unseen"], [at + marks, end, "pe-bold"]);
    else if (!ROW.test(line)) for (const { index, 2: words } of line.matchAll(BOLD)) found.push(...boldly(at + index, words.length));
    at = end + 1;
  }
  return found.sort(([a], [b]) => a - b);
}

// A text as it is laid out: stretches of it, those that are tables with the places of their lines.
function blocksOf(whole) {
  const blocks = [];
  let at = 0;
  for (const line of whole.split(/(?<=\n)/u)) {
    const isRow = ROW.test(line.replace("\n", ""));
    const end = at + line.length;
    const last = blocks.at(-1);
    if (last && Boolean(last.rows) === isRow) {
      last.end = end;
      last.rows?.push([at, end]);
    } else blocks.push({ start: at, end, rows: isRow ? [[at, end]] : null });
    at = end;
  }
  return blocks;
}

// Lines of a table as one. What is not seen of them, bars and rules, stays in the text where it stands; `part` makes the
// elements of a stretch.
function tableOf({ rows }, whole, part) {
  const unseen = (from, to) => from < to && el("span", "pe-unseen", part(from, to));
  const lines = [];
  for (const [start, end] of rows) {
    const line = whole.slice(start, end);
    const heads = lines.length === 0 && rows.length > 1 && RULE.test(whole.slice(...rows[1]).trimEnd());
    if (RULE.test(line.trimEnd()) && lines.length) lines.at(-1).lastElementChild.append(unseen(start, end));
    else lines.push(rowOf(line, start, part, unseen, heads));
  }
  return el("table", "pe-rows-read", el("tbody", {}, lines));
}

const LONG = /\S{28}/u; // a word that may be divided, so that its column is not wider than others

function rowOf(line, start, part, unseen, heads) {
  const bars = [...line.matchAll(/(?<!\\)\|/gu)].map(({ index }) => index);
  const cells = bars.slice(1).map((bar, i) => {
    const words = line.slice(bars[i] + 1, bar);
    const from = bars[i] + 1 + (words.length - words.trimStart().length);
    const to = from + words.trim().length;
    const [before, after] = [i ? bars[i] : 0, i === bars.length - 2 ? line.length : bar];
    const [left, right] = [unseen(start + before, start + from), unseen(start + to, start + after)];
    return el(heads ? "th" : "td", LONG.test(words) ? "pe-long" : null, left, part(start + from, start + to), right);
  });
  return el("tr", {}, cells);
}

const boldly = (at, size) => [
  [at, at + 2, "pe-unseen"],
  [at + 2, at + 2 + size, "pe-bold"],
  [at + 2 + size, at + 4 + size, "pe-unseen"],
];

const GAP = /(\s*\n\s*\n\s*|^\s+|\s+$)/u;

// Marked words of the text; blank lines between them stay unmarked.
function marked(name, text, start, styled) {
  let at = start;
  return text.split(GAP).map((one) => {
    const from = at;
    at += one.length;
    return one && el("mark", one.trim() ? name : `${name} pe-gap`, flowing(one, from, styled));
  });
}

// A piece of the text that begins at `start`, in parts for an element.
function flowing(text, start, styled) {
  const parts = [];
  let from = 0;
  for (const [first, last, name] of styled) {
    const [begin, end] = [Math.max(first - start, from), Math.min(last - start, text.length)];
    if (begin >= end) continue;
    parts.push(text.slice(from, begin), el("span", name, text.slice(begin, end)));
    from = end;
  }
  return [...parts, text.slice(from)];
}
