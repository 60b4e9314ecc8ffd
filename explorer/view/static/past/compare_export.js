// What a comparison can be saved as, made in the page: the facts as a table, or everything.
function exportMenu({ t, ...found }) {
  const item = (label, save) => {
    const onclick = (event) => (save(), (event.target.closest("details").open = false));
    return button({ class: "pe-btn small", onclick }, label);
  };
  return el(
    "details",
    {
      class: "pe-versus-menu",
      onkeydown: (event) => {
        if (event.key !== "Escape" || !event.currentTarget.open) return;
        event.stopPropagation();
        event.currentTarget.open = false;
        event.currentTarget.querySelector("summary").focus();
      },
      onfocusout: (event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) event.currentTarget.open = false;
      },
    },
    el("summary", { class: "pe-btn small pe-inline" }, "Export ▾"),
    el(
      "div",
      { class: "pe-versus-items pe-stack", role: "group", "aria-label": "Export" },
      item("Facts as CSV", () => saveText(`${found.file}.csv`, "text/csv", csvText(comparedCells(found)))),
      item("Everything as JSON", () =>
        saveText(`${found.file}.json`, "application/json", `${JSON.stringify(found, null, 2)}\n`),
      ),
    ),
  );
}

function comparedCells(found) {
  const heads = SIDES.flatMap((side) =>
    ["number in the answer", "score (of 1)", "why", "said by"].map((word) => `${side.toUpperCase()}: ${word}`),
  );
  const verdict = ({ cited, score, why, author }) => [cited, score, why, author?.text];
  const keptBy = { A: "A only", B: "B only", both: "both" };
  const rows = orderedRows(found, true).map((row) => [
    row.label,
    keptBy[row.side],
    ...SIDES.flatMap((side) => verdict(row[side])),
    row.sources.map((source) => source.where).join("; "),
  ]);
  return [["Fact", "Kept by", ...heads, "Sources"], ...rows];
}

// Without "differences first": in the order in which A kept them, then those that only B kept.
function orderedRows(found, differences) {
  const rows = found.groups.flatMap((group) => group.rows);
  if (differences) return rows;
  const rank = (row) => (row.a.number === null ? [1, row.b.number] : [0, row.a.number]);
  return rows.sort((one, other) => rank(one)[0] - rank(other)[0] || rank(one)[1] - rank(other)[1]);
}
