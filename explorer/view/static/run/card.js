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

const isOpen = (card) => Boolean(card.showPopover) && card.matches(":popover-open");

// An element gets the card of its quotes; `key` tells it from others, as elements are made anew.
function withCard(node, quotes, key, card) {
  if (!quotes.length || !card.root.showPopover) return node;
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
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !isOpen(card.root)) return;
    event.stopPropagation();
    card.hide();
  });
  return node;
}

function showCard({ root }, node, quotes) {
  if (!node.isConnected) return;
  const more = quotes.length - CARD_QUOTES;
  fill(
    root,
    quotes
      .slice(0, CARD_QUOTES)
      .map(({ text, where }) => [el("blockquote", { class: "pe-quote" }, text), el("div", { class: "pe-fine pe-quiet" }, where)]),
    more > 0 && el("div", { class: "pe-fine pe-quiet" }, `and ${more} more`),
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
