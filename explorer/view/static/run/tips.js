// What opens over a part of the page, under the mouse or with the focus: the words that a sentence rests on, and the meanings
// of words.
const CARD_AFTER = 250; // ms
const CARD_ROOM = 8; // px to the edges of the window, and to what it belongs to
const CARD_QUOTES = 3;

let tips = 0; // numbered, so that what they belong to can name them

const tipOf = (look, words) => el("div", { class: look, role: "tooltip", popover: "manual", id: `tip-${++tips}` }, words);

const isOpen = (tip) => tip.matches(":popover-open");

function placeTipAt(tip, placeFor) {
  if (!isOpen(tip)) tip.showPopover();
  const size = tip.currentCSSZoom ?? 1; // boxes are measured as they are seen, and placed as they are written
  const [left, top] = placeFor(tip.getBoundingClientRect());
  Object.assign(tip.style, { left: `${left / size}px`, top: `${top / size}px` });
}

// `show` when one points at the part, or `held` in it gets the focus by a key; what slides under a pointer that rests opens
// nothing.
function opensTip(part, held, tip, store, { show, hide, point = show, click = hide }) {
  held.setAttribute("aria-describedby", tip.id);
  part.addEventListener("pointerenter", ({ clientX, clientY }) => store.pointer !== `${clientX} ${clientY}` && point());
  part.addEventListener("pointerleave", () => !held.matches(":focus-visible") && hide());
  held.addEventListener("focus", () => !putsFocusBack && held.matches(":focus-visible") && show());
  held.addEventListener("blur", hide);
  held.addEventListener("click", click);
  held.addEventListener("keydown", (event) => isOpen(tip) && onEscape(hide)(event));
  return part;
}

// One card for all sentences and numbers of an answer; who has clicked does not see the same again.
function quoteCard(store) {
  const card = { root: tipOf("pe-card"), store, timer: null, passed: null };
  card.hide = () => {
    clearTimeout(card.timer);
    if (isOpen(card.root)) card.root.hidePopover();
  };
  return card;
}

// An element gets the card of its quotes; `key` tells it from others, as elements are made anew.
function withCard(node, quotes, key, card) {
  if (!quotes.length) return node;
  const show = () => node.isConnected && showCard(card.root, node, quotes);
  const point = () => {
    clearTimeout(card.timer);
    if (card.passed === key) return;
    card.timer = setTimeout(show, CARD_AFTER);
    card.passed = null;
  };
  const click = () => {
    card.passed = key;
    card.hide();
  };
  return opensTip(node, node, card.root, card.store, { show, point, click, hide: card.hide });
}

function showCard(root, node, quotes) {
  const told = quotes.slice(0, CARD_QUOTES);
  const lines = told.map(({ text, where }) => [el("blockquote", "pe-quote", text), el("div", "pe-fine pe-quiet", where)]);
  fill(root, lines, restOf("div", quotes.length, CARD_QUOTES, "pe-fine pe-quiet"));
  const whole = node.getBoundingClientRect();
  const at = node.getClientRects()[0] ?? whole;
  placeTipAt(root, ({ width, height }) => {
    const below = whole.bottom + CARD_ROOM;
    const top = below + height <= innerHeight ? below : Math.max(CARD_ROOM, at.top - height - CARD_ROOM);
    return [between(CARD_ROOM, at.left, innerWidth - width - CARD_ROOM), top];
  });
}

// Words that a class may not know, explained below the text that they stand in.
function glossed(text, store) {
  const meanings = new Map(Object.entries(store.looks.glossary).map(([word, meaning]) => [word.toLowerCase(), meaning]));
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
  const around = () => term.closest(".pe-quiz li, .pe-lesson-title, .pe-lesson-words > div") ?? term;
  return explainedBy(el("span", "pe-nowrap", term, mark), term, meaning, store, around);
}

// A part with the meaning of a word in it, right above or below what `around` gives, whichever is nearer to the part: it
// covers nothing of what it explains. A click closes it, but on a word that is there to be explained.
function explainedBy(part, held, meaning, store, around = () => part) {
  const tip = tipOf("pe-gloss-tip", meaning);
  const show = () =>
    tip.isConnected &&
    placeTipAt(tip, (own) => {
      const [at, whole] = [part, around()].map((one) => one.getBoundingClientRect());
      const isAbove = at.top - whole.top < whole.bottom - at.bottom && whole.top - own.height > CARD_ROOM;
      const top = isAbove ? whole.top - own.height - 2 : Math.min(whole.bottom + 2, innerHeight - own.height);
      return [besideWays(part, between(CARD_ROOM, at.left, innerWidth - own.width - CARD_ROOM), top, own), top];
    });
  const hide = () => isOpen(tip) && tip.hidePopover();
  part.append(tip);
  return opensTip(part, held, tip, store, { show, hide, click: () => (held.matches(".pe-glossed") ? show() : hide()) });
}

// The ways on of a lesson stay free: what would cover them moves to their left.
function besideWays(part, left, top, { width, height }) {
  const ways = part.closest(".pe-lesson")?.querySelector(".pe-lesson-ways")?.getBoundingClientRect();
  const covers = ways && left + width > ways.left && top + height > ways.top && top < ways.bottom;
  return covers ? Math.max(CARD_ROOM, ways.left - width - CARD_ROOM) : left;
}
