// A button that opens a list of what can be done. `itemsOf` gives it anew each time: a name, words on it, what it does, and
// `on` where it is on or off.
function menuButton(words, title, itemsOf, look = "") {
  const menu = el("div", { class: "pe-menu", role: "menu", "aria-label": title ?? words, hidden: true });
  const props = { title, "aria-label": look === "square" ? title : null, "aria-haspopup": "menu", "aria-expanded": "false" };
  const opener = button({ class: `pe-btn small ${look}`, ...props }, words);
  const root = el("span", "pe-menu-button pe-rigid", opener, menu);
  const view = { root, opener, menu, itemsOf };
  view.outside = (event) => event.composedPath().includes(root) || closeMenu(view);
  opener.addEventListener("click", () => (menu.hidden ? openMenu(view) : closeMenu(view)));
  root.addEventListener("keydown", (event) => keyInMenu(event, view));
  root.addEventListener("focusout", ({ relatedTarget: to }) => to && !root.contains(to) && closeMenu(view));
  return root;
}

function menuItem(view, { name, about, does, on }) {
  const onclick = () => {
    closeMenu(view);
    view.opener.focus();
    does();
  };
  const told = on === undefined ? { role: "menuitem" } : { role: "menuitemcheckbox", "aria-checked": String(on) };
  return button({ class: "pe-bare", tabindex: -1, ...told, onclick }, el("b", {}, on ? `✓ ${name}` : name), el("span", "pe-quiet", about));
}

function openMenu(view, at = 0) {
  fill(view.menu, view.itemsOf().filter(Boolean).map((item) => menuItem(view, item)));
  view.menu.hidden = false;
  view.opener.setAttribute("aria-expanded", "true");
  document.addEventListener("pointerdown", view.outside);
  [...view.menu.children].at(at).focus({ preventScroll: true });
}

function closeMenu(view) {
  view.menu.hidden = true;
  view.opener.setAttribute("aria-expanded", "false");
  document.removeEventListener("pointerdown", view.outside);
}

function keyInMenu(event, view) {
  const { menu, opener } = view;
  const items = [...menu.children];
  const at = items.findIndex(focusIn);
  const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? -1 : at - 1, Home: 0, End: -1 }[event.key];
  if (menu.hidden && (event.key === "ArrowDown" || event.key === "ArrowUp")) openMenu(view, to);
  else if (menu.hidden) return;
  else if (to !== undefined) items.at(to % items.length).focus();
  else if (event.key === "Escape") {
    closeMenu(view);
    opener.focus();
  } else return;
  claim(event);
}
