// A card with the words that a sentence or a number rests on, shown while one points at it or is on it with the keyboard.
const CARD_AFTER = 250; // ms
const CARD_ROOM = 8; // px to the edges of the window, and to what it belongs to
const CARD_QUOTES = 3;

let cards = 0;

function quoteCard(store) {
  const root = el("div", { class: "pe-card", role: "tooltip", popover: "manual", id: `quotes-${(cards += 1)}` });
  const card = { root, store, timer: null, passed: null }; // who has clicked does not see the same card again
  card.hide = () => {
    clearTimeout(card.timer);
    if (isOpen(root)) root.hidePopover();
  };
  return card;
}

const isOpen = (card) => card.matches(":popover-open");

// An element gets the card of its quotes; `key` tells it from others, as elements are made anew.
function withCard(node, quotes, key, card) {
  if (!quotes.length) return node;
  node.setAttribute("aria-describedby", card.root.id);
  const show = () => showCard(card, node, quotes);
  node.addEventListener("pointerenter", ({ clientX, clientY }) => {
    clearTimeout(card.timer);
    if (card.store.pointer === `${clientX} ${clientY}`) return; // it slid under a pointer that rests
    if (card.passed !== key) card.timer = setTimeout(show, CARD_AFTER);
    if (card.passed !== key) card.passed = null;
  });
  node.addEventListener("pointerleave", card.hide);
  node.addEventListener("focus", () => node.matches(":focus-visible") && show());
  node.addEventListener("blur", card.hide);
  node.addEventListener("click", () => {
    card.passed = key;
    card.hide();
  });
  node.addEventListener("keydown", (event) => isOpen(card.root) && onEscape(card.hide)(event));
  return node;
}

function showCard({ root }, node, quotes) {
  if (!node.isConnected) return;
  fill(
    root,
    quotes
      .slice(0, CARD_QUOTES)
      .map(({ text, where }) => [el("blockquote", "pe-quote", text), el("div", "pe-fine pe-quiet", where)]),
    restOf("div", quotes.length, CARD_QUOTES, "pe-fine pe-quiet"),
  );
  if (!isOpen(root)) root.showPopover();
  const size = root.currentCSSZoom ?? 1; // boxes are measured as they are seen, and placed as they are written
  const at = node.getClientRects()[0] ?? node.getBoundingClientRect();
  const { bottom } = node.getBoundingClientRect();
  const { width, height } = root.getBoundingClientRect();
  const left = Math.max(CARD_ROOM, Math.min(at.left, innerWidth - width - CARD_ROOM));
  const below = bottom + CARD_ROOM;
  const top = below + height <= innerHeight ? below : Math.max(CARD_ROOM, at.top - height - CARD_ROOM);
  Object.assign(root.style, { left: `${left / size}px`, top: `${top / size}px` });
}

// Words that a class may not know, explained below the text that they stand in, under the mouse and when they have the focus.
let glosses = 0; // numbered, so that each word can name its explanation

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
  return explainedBy(
    el("span", "pe-nowrap", term, mark),
    term,
    meaning,
    store,
    () => term.closest(".pe-quiz li, .pe-lesson-title, .pe-lesson-words > div") ?? term,
  );
}

// A part with the meaning of a word in it, which opens under the mouse and when `held` has the focus, right above or below
// what `around` gives, whichever is nearer to the part: it covers nothing of what it explains. A click closes it, but on a
// word that is there to be explained; and what slides under a pointer that rests opens nothing.
function explainedBy(part, held, meaning, store, around = () => part) {
  const tip = el("span", { class: "pe-gloss-tip", role: "tooltip", popover: "manual", id: `explained-${++glosses}` }, meaning);
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
  for (const [name, does] of [
    ["focus", () => !putsFocusBack && show()],
    ["blur", hide],
    ["click", clicked],
  ])
    held.addEventListener(name, does);
  held.addEventListener("keydown", (event) => isOpen(tip) && onEscape(hide)(event));
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
