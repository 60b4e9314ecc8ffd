// Ways that would lie upon one another move apart; what leaves one step stays together until it branches off.
// A fan is one upright line with branches; the longest of those up and down paint the line.
function branchOff(routes) {
  const fans = new Map();
  for (const route of routes) {
    if (!isOfFan(route.arc) || route.points.length !== 4) continue;
    route.branch = true;
    const key = `${route.group}\n${route.points[1][0]}`;
    fans.set(key, [...(fans.get(key) ?? []), route]);
  }
  for (const fan of fans.values()) {
    const ends = fan.map(({ points }) => points[2][1]);
    for (const end of [Math.min(...ends), Math.max(...ends)]) fan[ends.indexOf(end)].stem = true;
  }
}

// The inner pieces of ways, upright ones (axis 0) or level ones (axis 1), side by side where they would be one line.
function moveApart(routes, index, axis) {
  const lines = new Map();
  for (const { points, group } of routes) {
    for (let i = 1; i < points.length - 2; i += 1) {
      const [one, other] = [points[i], points[i + 1]];
      if (one[axis] !== other[axis]) continue;
      const key = `${group}\n${Math.round(one[axis])}`;
      const line = lines.get(key) ?? { at: one[axis], from: Infinity, to: -Infinity, pieces: [] };
      line.from = Math.min(line.from, one[1 - axis], other[1 - axis]);
      line.to = Math.max(line.to, one[1 - axis], other[1 - axis]);
      line.pieces.push([one, other]);
      lines.set(key, line);
    }
  }
  const placed = new Map(); // by where they are
  const near = (at) => [-1, 0, 1].flatMap((step) => placed.get(Math.floor(at / LANE) + step) ?? []);
  for (const line of [...lines.values()].sort((a, b) => a.from - b.from || a.to - b.to)) {
    const beside = (one) => one.from < line.to + LANE && one.to > line.from - LANE;
    const room = (at, apart) => !near(at).some((one) => beside(one) && Math.abs(one.at - at) < apart - 0.5);
    const among = (apart) =>
      [0, 1, -1, 2, -2, 3, -3].map((step) => line.at + step * apart).find((step) => room(step, apart) && isRoomFor(index, line, step, axis));
    const at = among(LANE) ?? among(LANE / 2) ?? line.at;
    for (const piece of line.pieces) for (const point of piece) point[axis] = at;
    const place = Math.floor(at / LANE);
    placed.set(place, [...(placed.get(place) ?? []), { ...line, at }]);
  }
}

function isRoomFor(index, line, at, axis) {
  if (at === line.at) return true;
  return line.pieces.every((ends) => {
    const [one, other] = ends.map((point) => (axis === 0 ? [at, point[1]] : [point[0], at]));
    return isFree(index, one, other, CLEAR[1]);
  });
}
