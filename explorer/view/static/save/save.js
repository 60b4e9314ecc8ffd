// Saving what is on show. The picture is drawn in the page and needs no kernel; Python makes the other files.
const SAVES = {
  html: ["HTML", "a report to click through, replay or print; works offline"],
  png: ["PNG", "the drawing as a picture, twice its size"],
  svg: ["SVG", "the drawing, sharp at any size"],
  trig: ["RDF", "the record, for other tools"],
};
const LARGEST = { side: 16384, area: 8192 * 8192 }; // pixels that the canvas of any browser on a desk can hold

// What a menu offers for it.
const savesOf = (store, graph, say) =>
  (store.formats ?? Object.keys(SAVES)).map((format) => {
    const [name, about] = SAVES[format];
    return { name: `Save as ${name}`, about, does: () => saveAs(store, graph, format, say) };
  });

// What is said of a file, for a while, and aloud.
function noticeLine() {
  const root = el("div", { class: "pe-menu pe-saved", role: "status" });
  let hush = null;
  const say = (words) => {
    clearTimeout(hush);
    fill(root, words);
    hush = setTimeout(() => fill(root), 8000);
  };
  return { root, say };
}

function saveAs(store, graph, format, say) {
  if (!store.nodes.size) return say("Nothing has been asked yet: ask a question, then save.");
  return format === "png" ? savePicture(store, graph, say) : wantFile(store, format, say);
}

function wantFile(store, format, say, runs = null) {
  store.saving = { format, say };
  const asked = store.saving;
  setTimeout(() => {
    if (store.saving === asked)
      say("The kernel has not answered yet. If it is busy, the file is saved when it is free. PNG needs no kernel.");
  }, 4000);
  say(`Making the ${(SAVES[format] ?? [format])[0]} …`);
  store.send({ t: "save?", format, runs });
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
    const small = `${Number(scale.toPrecision(2))} times its size: a browser can hold no larger picture. SVG has no limit.`;
    say(`Saved as ${name}, ${scale === 2 ? "in your browser's downloads" : small}`);
  }, "image/png");
}

// The same nodes and arcs in a second network, out of sight and large enough for all of them.
function drawPicture(store, graph) {
  const box = bounds(store);
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  const scale = Math.min(2, LARGEST.side / Math.max(width, height), Math.sqrt(LARGEST.area / (width * height)));
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [width, height].map((length) => `${Math.floor(length * scale) / ratio}px`);
  const place = el("div", { class: "pe-offstage", "aria-hidden": "true", style: { width: wide, height: high } });
  graph.canvas.parentElement.append(place);
  const interaction = { dragView: false, zoomView: false, hover: false, selectable: false };
  const options = { ...optionsWith(store.options, 0), autoResize: false, interaction };
  const [bright, settled] = [brightOf(store), { ...graph, fresh: new Map() }];
  const network = new vis.Network(place, { nodes: pictureNodes(store, settled, bright, scale), edges: [] }, options);
  network.on("beforeDrawing", (ctx) => {
    ctx.fillStyle = store.looks.themes[themeName()].canvas;
    ctx.fillRect(box.left - width, box.top - height, 3 * width, 3 * height);
    paintArcs(ctx, store, bright, faceOf(graph));
    paintWords(ctx, store, faceOf(graph));
  });
  network.on("afterDrawing", (ctx) => {
    paintNumbers(ctx, store, (node) => stateOf(store, settled, node, bright), faceOf(graph));
    paintBars(ctx, store, bright);
  });
  network.moveTo({ scale: scale / ratio, position: { x: box.left + width / 2, y: box.top + height / 2 } });
  network.redraw();
  const done = () => {
    network.destroy();
    place.remove();
  };
  return { canvas: place.querySelector("canvas"), scale, done };
}

// A canvas draws shadows in its own pixels, whatever its scale.
function pictureNodes(store, settled, bright, scale) {
  return hereNodes(store).map((node) => {
    const given = visOf(store, node, stateOf(store, settled, node, bright), faceOf(settled));
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
const csvText = (rows) => "\ufeff" + rows.map((row) => row.map(csvCell).join(",") + "\r\n").join("");

function csvCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const safe = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u.test(value) ? `'${value}` : value;
  return `"${safe.replaceAll('"', '""')}"`;
}
