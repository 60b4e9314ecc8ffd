// Saving what is on show. The picture is drawn in the page and needs no kernel; Python makes the other files.
const SAVES = {
  png: ["PNG", "the drawing as a picture, twice its size"],
  svg: ["SVG", "the drawing, sharp at any size"],
  html: ["HTML", "a report to click through, replay or print; works offline"],
  trig: ["RDF", "the record, for other tools"],
};
const LARGEST = { side: 16384, area: 8192 * 8192 }; // pixels that the canvas of any browser on a desk can hold

// A button that opens a list of what can be done: each has a name, and words on what that is.
function menuButton(words, title, items) {
  const menu = el("div", { class: "pe-menu", role: "menu", "aria-label": words, hidden: true });
  const props = { title, "aria-haspopup": "menu", "aria-expanded": "false" };
  const opener = button({ class: "pe-btn small", ...props }, `${words} ▾`);
  const root = el("span", "pe-menu-button pe-rigid", opener, menu);
  const view = { root, opener, menu };
  for (const [name, about, does] of items) {
    const onclick = () => {
      closeMenu(view);
      opener.focus();
      does();
    };
    const item = { class: "pe-bare", role: "menuitem", tabindex: -1, onclick };
    menu.append(button(item, el("b", {}, name), el("span", "pe-quiet", about)));
  }
  view.outside = (event) => event.composedPath().includes(root) || closeMenu(view);
  opener.addEventListener("click", () => (menu.hidden ? openMenu(view) : closeMenu(view)));
  root.addEventListener("keydown", (event) => keyInMenu(event, view));
  root.addEventListener("focusout", ({ relatedTarget: to }) => to && !root.contains(to) && closeMenu(view));
  return root;
}

function openMenu(view, at = 0) {
  view.menu.hidden = false;
  view.opener.setAttribute("aria-expanded", "true");
  document.addEventListener("pointerdown", view.outside);
  [...view.menu.children].at(at).focus();
}

function closeMenu(view) {
  view.menu.hidden = true;
  view.opener.setAttribute("aria-expanded", "false");
  document.removeEventListener("pointerdown", view.outside);
}

function keyInMenu(event, view) {
  const { menu, opener } = view;
  const items = [...menu.children];
  const at = items.indexOf(document.activeElement);
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

// What is said of a file stands where the menu was.
function saveMenu(store, graph) {
  const notice = el("div", { class: "pe-menu pe-saved", "aria-hidden": "true", hidden: true });
  const spoken = el("span", { class: "pe-hear", role: "status" }); // a place that was hidden is not read aloud
  let hush = null;
  const say = (words) => {
    clearTimeout(hush);
    for (const part of [notice, spoken]) fill(part, words);
    notice.hidden = false;
    hush = setTimeout(() => (notice.hidden = true), 8000);
  };
  const item = (format) => [...SAVES[format], () => saveAs(store, graph, format, say)];
  const root = menuButton("Save as", "Save what is shown", (store.formats ?? Object.keys(SAVES)).map(item));
  root.classList.add("pe-save");
  root.addEventListener("focusin", ({ target }) => (notice.hidden ||= target.matches("[role=menuitem]")));
  root.append(notice, spoken);
  return root;
}

function saveAs(store, graph, format, say) {
  if (!store.nodes.size) return say("Nothing has been asked yet: ask a question, then save.");
  return format === "png" ? savePicture(store, graph, say) : wantFile(store, format, say);
}

function wantFile(store, format, say) {
  store.saving = { format, say };
  const asked = store.saving;
  setTimeout(() => {
    if (store.saving === asked)
      say("The kernel has not answered yet. If it is busy, the file is saved when it is free; PNG needs no kernel.");
  }, 4000);
  say(`Making the ${(SAVES[format] ?? [format])[0]} …`);
  store.send({ t: "save?", format });
}

// Every page of the kernel hears the reply; only the one that asked keeps the file.
function takeSaved(store, message, buffers) {
  const asked = store.saving;
  if (asked?.format !== message.format) return;
  store.saving = null;
  if (buffers[0]) saveBlob(message.name, new Blob([buffers[0]], { type: message.mime }));
  else saveText(message.name, message.mime, message.text);
  asked.say(joinWords([`Saved as ${message.name}, in your browser's downloads`, message.said], ". "));
}

function pictureName(store) {
  const asked = [...store.nodes.values()].find(({ kind }) => kind === "Question");
  const question = asked?.detail.rows.find(({ strong }) => strong)?.text ?? "";
  const words = question.normalize("NFC").match(/[\p{L}\p{N}]+/gu) ?? ["answer"];
  const stem = [[...words.shift()].slice(0, 56).join("")]; // with its ending at most 60 characters, as in Python
  for (const word of words) {
    if ([...stem.join("-"), ...word].length > 55) break;
    stem.push(word);
  }
  return `${stem.join("-")}.png`;
}

function savePicture(store, graph, say) {
  const { canvas, scale, done } = drawPicture(store, graph);
  const name = pictureName(store);
  canvas.toBlob((blob) => {
    done();
    if (!blob) return say("This drawing is too large for a picture in this browser: save it as SVG.");
    saveBlob(name, blob);
    const times = Number(scale.toPrecision(2));
    say(
      scale === 2
        ? `Saved as ${name}, in your browser's downloads`
        : `Saved as ${name}, ${times} times its size: a browser can hold no larger picture. SVG has no limit.`,
    );
  }, "image/png");
}

// The same nodes and arcs in a second network, out of sight and large enough for all of them.
function drawPicture(store, graph) {
  const box = bounds(store);
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  const scale = Math.min(2, LARGEST.side / Math.max(width, height), Math.sqrt(LARGEST.area / (width * height)));
  const ratio = window.devicePixelRatio || 1;
  const place = el("div", {
    class: "pe-offstage",
    "aria-hidden": "true",
    style: { width: `${Math.floor(width * scale) / ratio}px`, height: `${Math.floor(height * scale) / ratio}px` },
  });
  graph.canvas.parentElement.append(place);
  const interaction = { dragView: false, zoomView: false, hover: false, selectable: false };
  const options = { ...optionsWith(store.options, 0), autoResize: false, interaction };
  const network = new vis.Network(place, { nodes: pictureNodes(store, graph, scale), edges: [] }, options);
  network.on("beforeDrawing", (ctx) => {
    ctx.fillStyle = store.looks.themes[themeName()].canvas;
    ctx.fillRect(box.left - width, box.top - height, 3 * width, 3 * height);
    paintArcs(ctx, store, brightOf(store), faceOf(graph));
    paintWords(ctx, store, faceOf(graph));
  });
  network.moveTo({
    scale: scale / ratio,
    position: { x: box.left + width / 2, y: box.top + height / 2 },
  });
  network.redraw();
  const done = () => {
    network.destroy();
    place.remove();
  };
  return { canvas: place.querySelector("canvas"), scale, done };
}

// A canvas draws shadows in its own pixels, whatever its scale.
function pictureNodes(store, graph, scale) {
  const bright = brightOf(store);
  const settled = { ...graph, fresh: new Map() };
  return hereNodes(store).map((node) => {
    const given = visOf(store, node, stateOf(store, settled, node, bright), faceOf(graph));
    const { size = 0, x = 0, y = 0 } = given.shadow;
    return { ...given, shadow: { ...given.shadow, size: size * scale, x: x * scale, y: y * scale } };
  });
}

function saveBlob(name, blob) {
  const address = URL.createObjectURL(blob);
  const link = el("a", { href: address, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // the browser reads it after the click
}

const saveText = (name, mime, text) => saveBlob(name, new Blob([text], { type: `${mime};charset=utf-8` }));

// A spreadsheet runs a cell that begins like a formula, also when it is quoted; an apostrophe before it keeps it text.
// The mark at the start tells Excel that the file is UTF-8.
function csvText(rows) {
  return "\ufeff" + rows.map((row) => row.map(csvCell).join(",") + "\r\n").join("");
}

function csvCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const safe = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u.test(value) ? `'${value}` : value;
  return `"${safe.replaceAll('"', '""')}"`;
}
