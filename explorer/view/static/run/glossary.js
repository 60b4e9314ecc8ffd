// Words that a class may not know, explained below the text that they stand in, under the mouse and when they have the focus.
let glosses = 0; // numbered, so that each word can name its explanation

function glossed(text, store) {
  const { glossary = {} } = store.looks;
  const meanings = new Map(Object.entries(glossary).map(([word, meaning]) => [word.toLowerCase(), meaning]));
  if (!meanings.size) return [text];
  const words = [...meanings.keys()].sort((a, b) => b.length - a.length);
  const parts = [];
  const told = new Set(); // each is explained once in a text
  let at = 0;
  for (const found of text.matchAll(new RegExp(`\\b((${words.join("|")})(?:e?s)?)\\b([.,;:!?”)]*)`, "gi"))) {
    const [whole, written, named, mark] = found;
    const word = named.toLowerCase();
    if (told.has(word) || isQuoted(text, found.index)) continue;
    told.add(word);
    parts.push(text.slice(at, found.index), glossedWord(written, mark, meanings.get(word), store));
    at = found.index + whole.length;
  }
  return [...parts, text.slice(at)];
}

// Quoted are words of documents, questions and answers, which mean what they mean there.
const isQuoted = (text, at) => text.lastIndexOf("“", at) > text.lastIndexOf("”", at);

// With the mark behind it, which begins no line.
function glossedWord(word, mark, meaning, store) {
  const term = button({ class: "pe-glossed pe-bare" }, word);
  return explainedBy(el("span", { class: "pe-nowrap" }, term, mark), term, meaning, store, () => term.closest(".pe-quiz li, legend, .pe-lesson-words > div") ?? term);
}

// A part with the meaning of a word in it, which opens under the mouse and when `held` has the focus, right above or below
// what `around` gives, whichever is nearer to the part: it covers nothing of what it explains. A click closes it, but on a
// word that is there to be explained; and what slides under a pointer that rests opens nothing.
function explainedBy(part, held, meaning, store, around = () => part) {
  const tip = el("span", { class: "pe-gloss-tip", role: "tooltip", popover: "manual", id: `explained-${++glosses}` }, meaning);
  if (!tip.showPopover) return part;
  const show = () => {
    if (!tip.isConnected) return;
    if (!isOpen(tip)) tip.showPopover();
    const size = tip.currentCSSZoom ?? 1; // boxes are measured as they are seen, and placed as they are written
    const [at, whole, own] = [part, around(), tip].map((one) => one.getBoundingClientRect());
    const isAbove = at.top - whole.top < whole.bottom - at.bottom && whole.top - own.height > CARD_ROOM;
    const top = isAbove ? whole.top - own.height - 2 : Math.min(whole.bottom + 2, innerHeight - own.height);
    const left = besideWays(part, between(CARD_ROOM, at.left, innerWidth - own.width - CARD_ROOM), top, own);
    Object.assign(tip.style, { left: `${left / size}px`, top: `${top / size}px` });
  };
  const hide = () => isOpen(tip) && tip.hidePopover();
  const clicked = () => (held.matches(".pe-glossed") ? show() : hide());
  part.addEventListener("pointerenter", ({ clientX, clientY }) => store.pointer !== `${clientX} ${clientY}` && show());
  part.addEventListener("pointerleave", () => !held.matches(":focus-visible") && hide());
  for (const [name, does] of [["focus", () => !putsFocusBack && show()], ["blur", hide], ["click", clicked]]) held.addEventListener(name, does);
  held.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !isOpen(tip)) return;
    event.stopPropagation();
    hide();
  });
  held.setAttribute("aria-describedby", tip.id);
  part.append(tip);
  return part;
}

// The ways on of a lesson stay free: what would cover them moves to their left.
function besideWays(part, left, top, { width, height }) {
  const ways = part.closest(".pe-lesson")?.querySelector(".pe-lesson-ways")?.getBoundingClientRect();
  const covers = ways && left + width > ways.left && top + height > ways.top && top < ways.bottom;
  return covers ? Math.max(CARD_ROOM, ways.left - width - CARD_ROOM) : left;
}

// What the record's term stands for; none for one that is not in the glossary.
const meaningOf = (term, { looks }) => (looks.glossary ?? {})[term];

// A plain word with the record's term, whose meaning opens under the mouse and when `held` has the focus.
function explainedPair(words, held, store) {
  const [plain, gap, term] = pairOf(words);
  const meaning = term && meaningOf(words.term, store);
  if (!meaning) return [plain, gap, term];
  term.removeAttribute("title");
  return [plain, gap, explainedBy(term, held, meaning, store, () => held)];
}

function lessonWords({ word, term, text, why, figures, inside }, store) {
  const heading = pairOf({ word, term: term && glossed(term, store) });
  const within = inside && el("span", { class: "pe-pill pe-inline" }, "within the run");
  const reason = why && el("p", { class: "pe-fine" }, el("b", {}, "Why? "), glossed(why, store));
  const small = figures && el("p", { class: "pe-figures pe-fine" }, glossed(figures, store));
  return el("div", {}, el("p", {}, heading, within && " ", within, " ", glossed(text, store)), reason, small);
}
