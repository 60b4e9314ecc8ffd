// The numbers that the answer's text has for what it cites stand in the box of that, and of the sentence that cites it,
// as they do in the text: at its right, of a sentence behind its words, so close to its edge that the next line keeps its last letter.
// `apart` is left between a word and the first of them: at other scales type is not as wide as it was measured.
const NUMBER = { high: 16, letter: 8, around: 9, between: 3, inset: 5, edge: 2, size: 12, apart: 6 };

function numbersOf({ numbers: all, w }) {
  const numbers = all ?? [];
  const wideOf = (text) => NUMBER.letter * text.length + NUMBER.around;
  const take = (count) => {
    const left = numbers.length - count;
    const texts = [...numbers.slice(0, count).map(String), ...(left ? [`+${left}`] : [])]; // how many more there are
    const shown = texts.map((text) => [text, wideOf(text)]);
    return { shown, width: shown.reduce((width, [, wide]) => width + wide + NUMBER.between, texts.length ? NUMBER.apart : 0) };
  };
  for (let count = Math.min(numbers.length, Math.ceil(w / NUMBER.high)); count > 1; count -= 1) {
    const found = take(count);
    if (found.width <= w / 2) return found;
  }
  return take(Math.min(numbers.length, 1));
}

function paintNumbers(ctx, store, state, face) {
  const theme = themeName();
  const colours = store.looks.themes[theme];
  const look = store.looks.kinds.EdgeSelection;
  ctx.save();
  ctx.font = `600 ${NUMBER.size}px ${face}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  for (const node of hereNodes(store).filter(({ numbers }) => numbers)) {
    const { shown, width } = numbersOf(node);
    const is = state(node);
    const paint = nodePaint(look, is, theme, colours);
    const [fill, text, line] = is === "selected" ? [colours.lit, colours.canvas, colours.lit] : [paint.fill, paint.text, look[theme][2]];
    const { right, top, bottom } = edgesOf(node);
    const y = node.kind === "Sentence" ? bottom - NUMBER.edge - NUMBER.high : top + NUMBER.edge;
    let x = right - NUMBER.inset - width + NUMBER.apart;
    for (const [number, wide] of shown) {
      x += NUMBER.between;
      ctx.fillStyle = fill;
      ctx.strokeStyle = is === "dim" || is === "off" ? paint.line : line;
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.roundRect(x, y, wide, NUMBER.high, NUMBER.high / 2);
      ctx.fill();
      ctx.stroke();
      ctx.fillStyle = text;
      ctx.fillText(number, x + wide / 2, y + NUMBER.high / 2 + 0.5);
      x += wide;
    }
  }
  ctx.restore();
}
