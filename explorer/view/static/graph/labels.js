// Labels of the canvas. vis-network puts lines at a pitch of exactly the font size, so the four styles are nudged
// apart; lines are cut to the box by measuring, because fonts differ from machine to machine.
const STYLES = {
  k: { size: 12, weight: "600", vadjust: -3, tag: "code" },
  b: { size: 13, weight: "bold", vadjust: -1.5, tag: "b" },
  n: { size: 13, weight: "", vadjust: 1.5, tag: "" },
  s: { size: 12, weight: "", vadjust: 3, tag: "i" },
};
const measuring = document.createElement("canvas").getContext("2d");

const LONGEST = 400; // UTF-16 units: more never fit into a box
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const letters = (text) => Array.from(segmenter.segment(text), ({ segment }) => segment);

// The beginning of a text that may be very long, whole letters only: the last one may be cut, so it is left out.
const beginning = (text, most) => text.length <= most ? text : letters(text.slice(0, most)).slice(0, -1).join("");

// Text from right to left keeps to itself, so that it does not pull signs and numbers beside it to its side.
const FROM_RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const apart = (text) => (FROM_RIGHT.test(text) ? `\u2068${text}\u2069` : text);

const NARROWEST = 2; // pixels that a letter takes up at least

// How much of a text fits is guessed from how wide it is: to measure takes most of the time.
function cut(text, width, font) {
  measuring.font = font;
  const begun = beginning(text, Math.min(LONGEST, Math.ceil(width / NARROWEST)));
  const whole = measuring.measureText(begun).width;
  if (begun === text && whole <= width) return apart(text);
  const signs = letters(begun);
  const cutAt = (count) => signs.slice(0, count).join("").trimEnd() + "…";
  let [low, high] = [0, signs.length];
  let guess = Math.floor((high * width) / whole) - 1;
  while (low < high) {
    const middle = Math.min(high, Math.max(low + 1, guess));
    const over = measuring.measureText(cutAt(middle)).width - width;
    if (over <= 0) low = middle;
    else high = middle - 1;
    const letter = whole / signs.length;
    guess = over <= 0 ? low + Math.max(1, Math.floor(-over / letter)) : high + 1 - Math.max(1, Math.ceil(over / letter));
  }
  const kept = wholeWords(text, signs.slice(0, low).join(""));
  return apart(text.startsWith(" · ", kept.length) ? kept : `${kept}…`); // what stands before a dot is whole by itself
}

// What was cut within a word ends before it, if it is not the first, without the marks that led on to it.
function wholeWords(text, kept) {
  const isWithin = /\S/u.test(text[kept.length] ?? " ");
  const words = isWithin ? kept.replace(/\s+\S*$/u, "") : kept;
  return words.replace(/[\s,.;:·—→–-]+$/u, "") || kept;
}

// A number stays with what it is the number of, as in columns.py, and with its unit: "no. 2", "p. 8", "55:54:53 GET".
const NUMBERED = /(?<=\b(?:[Nn][Oo]|[Pp])\.)\s+(?=\d)|(?<=\d)\s+(?=[A-Z]{2,4}\b)/gu;
const wordsToWrap = (text) => text.replace(NUMBERED, "\u00a0").split(/[^\S\u00a0]+/u);
const loose = (line) => line.replaceAll("\u00a0", " ");

// The first line and the last may be shorter, where numbers stand beside them.
function wrap(text, width, font, most, { first = width, last = width } = {}) {
  measuring.font = font;
  const lines = [];
  let rest = wordsToWrap(beginning(text, LONGEST * most));
  while (rest.length && lines.length < most - 1) {
    const room = lines.length ? width : first;
    let taken = 1;
    const widthOfWords = (count) => measuring.measureText(rest.slice(0, count).join(" ")).width;
    while (taken < rest.length && widthOfWords(taken + 1) <= room) taken += 1;
    if (taken > 1 && taken === rest.length && widthOfWords(taken) > last) taken -= 1;
    lines.push(rest.slice(0, taken).join(" "));
    rest = rest.slice(taken);
  }
  if (rest.length) lines.push(rest.join(" "));
  const widthOfLine = (at) => Math.min(at ? width : first, at < lines.length - 1 ? width : last);
  const shown = lines.map((line, at) => cut(line, widthOfLine(at), font));
  const [[word], end] = [lines.at(-1).split(" "), shown.at(-1)];
  const isBroken = lines.length > 1 && end.endsWith("…") && end.length <= word.length && measuring.measureText(word).width <= width;
  if (!isBroken) return shown.map(loose);
  const before = cut(lines.slice(-2).join(" "), widthOfLine(lines.length - 2), font); // not within a word that has no room
  return (/\s/u.test(before) ? [...shown.slice(0, -2), before] : shown).map(loose); // nor is one word left of all
}

// vis-network 9.1.2 knows tags but decodes no entities, and trips over a line that begins with "&". An unseen
// character after "<" and before such a line keeps text from being read as markup.
const UNSEEN = "\u200b";
const markup = (text) => (text.startsWith("&") ? UNSEEN : "") + text.replaceAll("<", `<${UNSEEN}`);
const fontOf = (style, face) => `${style.weight || "normal"} ${style.size}px ${face}`;

// A label is measured once: who selects something has all nodes painted anew, with the labels they had.
const measured = new WeakMap();

function labelOf(node, look, face) {
  const earlier = measured.get(node);
  if (earlier?.face === face) return earlier.label;
  const label = labelFor(node, look, face);
  measured.set(node, { face, label });
  return label;
}

const IN_QUOTES = "❝"; // of words of a document, which stand in quotation marks

// How many lines a box of this height has room for, as `lines_in` in growing.py.
const roomIn = (high) => Math.floor((high - 7) / 13.5);

function labelFor(node, look, face) {
  if (node.room === 0) return "";
  const below = { square: 2, hexagon: 3 }[look.shape];
  if (below) return wrap(node.lines[0][1], node.room ?? 84, `12px ${face}`, below).join("\n");
  if (node.kind === "Concept") return wrap(node.lines[0][1], node.w - 16, `12px ${face}`, Math.max(1, roomIn(node.h))).join("\n");
  let left = Math.max(node.lines.length, roomIn(node.h));
  const lines = node.lines.flatMap(([key, text], at) => {
    const style = STYLES[key[0]];
    const most = Math.min(key.length, left - (node.lines.length - 1 - at));
    const sign = look.sign && !(look.sign === IN_QUOTES && text.startsWith("“")) && look.sign;
    const whole = at === 0 ? joinWords([sign, node.by_hand && `✎ ${node.by_hand}:`, text], " ") : text;
    const room = node.w - 18;
    const beside = at === 0 ? room - numbersOf(node).width : room;
    const wrapped = (words) =>
      wrap(words, room, fontOf(style, face), most, node.kind === "Sentence" ? { last: beside } : { first: beside });
    const shown = wrapped(whole);
    left -= shown.length;
    return shown.map((line) => (style.tag ? `<${style.tag}>${markup(line)}</${style.tag}>` : markup(line)));
  });
  return lines.join("\n");
}

// What stands in a box stands in its middle, whatever the styles of its first and its last line.
const CENTRED = 1;

function fontFor(node, look, face, color) {
  if (look.shape !== "box" || node.kind === "Concept") return { size: STYLES.s.size, face, color, multi: false };
  const [first, last] = [node.lines[0], node.lines.at(-1)].map(([key]) => STYLES[key[0]].vadjust);
  const down = CENTRED - (first + last) / 2;
  const style = ({ size, weight, vadjust }) => ({ size, face, color, mod: weight, vadjust: vadjust + down });
  const styles = { mono: style(STYLES.k), bold: style(STYLES.b), ital: style(STYLES.s) };
  return { multi: "html", align: "left", size: 13, face, color, vadjust: STYLES.n.vadjust + down, ...styles };
}
