// Where there is room for what lies over the graph: its map in small, and the button that leads on below.
const SOUGHT = 100; // times more than another box what is selected or was brought in is left free

// What stands on the canvas, in its pixels: boxes, names below points, heads of columns.
function standing(view, store) {
  const here = hereOf(store);
  here.obstacles ??= obstaclesOf(store, faceOf(view));
  const { network, sought } = view;
  return here.obstacles.map(({ id, left, top, right, bottom }) => {
    const [first, last] = [network.canvasToDOM({ x: left, y: top }), network.canvasToDOM({ x: right, y: bottom })];
    const weight = id && (id === sought || id === store.selected) ? SOUGHT : 1;
    return { left: first.x, top: first.y, right: last.x, bottom: last.y, weight };
  });
}

function covered(stands, { left, top, wide, high }) {
  return stands.reduce((sum, one) => {
    const across = Math.min(one.right, left + wide) - Math.max(one.left, left);
    const down = Math.min(one.bottom, top + high) - Math.max(one.top, top);
    return across > 0 && down > 0 ? sum + across * down * one.weight : sum;
  }, 0);
}

// Of some places the first one where least is covered, and how much that is.
function leastCovered(stands, places) {
  return places.map((place) => [covered(stands, place), place]).reduce((best, one) => (one[0] < best[0] ? one : best));
}

// The button stands where nothing is, at the right if it can, or its arrow alone; only where both have no such room it
// lies over a line. Where boxes are everywhere there is none: what is cut off there tells as much.
const BUTTON = { wide: 104, sign: 26, high: 24, edge: 10, step: 13, air: 2 }; // CSS pixels, as graph.css has them

function placeMore({ graph, store, more }) {
  const { size, enlarged } = graph;
  const { edge, step, air } = BUTTON;
  const [wide, sign, high, off] = [BUTTON.wide, BUTTON.sign, BUTTON.high, edge].map((length) => length * enlarged);
  const top = size.height - high - off;
  const isInRow = (one) => one.bottom > top - air && one.top < top + high + air;
  const stands = standing(graph, store).filter(isInRow);
  const placesOf = (width) => {
    const most = Math.max(0, Math.floor((size.width - width - 2 * off) / step));
    return Array.from({ length: most + 1 }, (_, at) => ({
      ...{ left: size.width - width - off - at * step - air, top: top - air },
      ...{ wide: width + 2 * air, high: high + 2 * air },
    }));
  };
  const all = [...stands, ...strokes(graph, store).filter(isInRow)];
  const tries = [all, stands].flatMap((over) => [wide, sign].map((width) => [...leastCovered(over, placesOf(width)), width]));
  const [taken, place, width] = tries.find(([covers]) => covers === 0) ?? tries.at(-1);
  hide(more, taken > 0);
  more.classList.toggle("folded", width === sign);
  more.style.left = `${Math.round((place.left + air) / enlarged)}px`;
}

// On a canvas too narrow for any columns that can be read, what leads to those at the right, and from there back.
const ASIDE = { wide: 76, high: 24, edge: 6, step: 12 }; // CSS pixels, as graph.css has them

function drawAside({ graph, store, parts, aside }) {
  const { size, enlarged } = graph;
  const { left, right } = hidden(graph, store);
  const isTight = size.width < store.looks.columns[0].width * leastScale(size.width) * enlarged;
  hide(aside, !isTight || !store.nodes.size || !parts.list.root.hidden || Math.max(left, right) < 30);
  if (aside.hidden) return;
  const isOn = right > HAIR;
  fill(aside, isOn ? "more →" : "← back");
  aside.title = isOn ? "More at the right" : "Back to the left";
  const [wide, high, edge, step] = [ASIDE.wide, ASIDE.high, ASIDE.edge, ASIDE.step].map((length) => length * enlarged);
  const at = isOn ? size.width - wide - edge : edge;
  const many = Math.max(1, Math.floor((size.height - high - 2 * edge) / step));
  const places = Array.from({ length: many }, (_, n) => ({ left: at, top: size.height - high - edge - n * step, wide, high }));
  const [, place] = leastCovered(standing(graph, store), places);
  Object.assign(aside.style, { left: `${Math.round(place.left / enlarged)}px`, top: `${Math.round(place.top / enlarged)}px` });
}
