// From the Question down to the node and on to its first source. A node on the path that is lit already keeps that
// path: left of the mark is where one came from, right of it where it leads.
function pathThrough(store, id, lit) {
  if (lit.includes(id) && lit.every((step) => store.nodes.has(step)))
    return onward(store, lit.slice(0, -1), lit.at(-1));
  const up = [];
  for (let at = parentOf(store, id); at && !up.includes(at); at = parentOf(store, at)) up.unshift(at);
  return onward(store, up, id);
}

// Of what rests on a source, one of the drawing on show, and of these what the answer cites first.
function parentOf(store, id) {
  const above = parents(store, id);
  if (!looksOf(store, id).source) return above[0];
  const here = above.filter((parent) => areHere(store, parent));
  return byNumber(store, here)[0] ?? above[0];
}

// What the answer cites goes first, in its order.
function byNumber(store, ids) {
  const numberOf = (id) => Math.min(...[id, ...passagesOf(store, id)].flatMap((one) => store.nodes.get(one)?.numbers ?? Infinity));
  return ids.map((id) => [numberOf(id), id]).sort(([a], [b]) => (a === b ? 0 : a - b)).map(([, id]) => id);
}

function onward(store, before, id) {
  const path = [...before, id];
  for (let at = children(store, id, "source")[0]; at && !path.includes(at); at = children(store, at, "source")[0])
    path.push(at);
  return path;
}

// The passages a node rests on: its own, those of a fact, or those found on a page or in a document.
function passagesOf(store, id) {
  const kind = store.nodes.get(id)?.kind;
  if (kind === "Passage") return [id];
  if (kind === "EdgeSelection" || kind === "ChunkSelection") return children(store, id, "source");
  if (kind === "Sentence") return parents(store, id, "cites").flatMap((cited) => passagesOf(store, cited));
  if (!looksOf(store, id).source) return [];
  return [...new Set(parents(store, id).flatMap((parent) => passagesOf(store, parent)))];
}
