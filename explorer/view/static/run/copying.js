// Copying the answer as plain text, with its sources numbered as it cites them.
function copyButton(store, body) {
  const { answer } = store;
  if (!answer.text || answer.live) return null;
  const copy = button({ class: "pe-btn small pe-copying", title: "Copy the answer and its sources as plain text" }, "Copy");
  copy.addEventListener("click", async () => {
    copy.textContent = (await copied(answerText(store))) ? "Copied" : selectedWords(body);
    setTimeout(() => (copy.textContent = "Copy"), 2000);
  });
  return copy;
}

// The clipboard is closed to pages that are not served safely, and to a person who said no.
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function selectedWords(body) {
  getSelection().selectAllChildren(body);
  return "Selected: press Ctrl+C";
}

function answerText(store) {
  const { text, runs, outcome } = store.answer;
  if (!runs) return text;
  const cited = new Map();
  const spoken = runs.map((run) => {
    for (const { n, node } of run.cites) cited.set(n, node);
    const numbers = run.cites.map(({ n }) => `[${n}]`).join("");
    return numbers ? `${run.text.trimEnd()} ${numbers}${/\s$/.test(run.text) ? " " : ""}` : run.text;
  });
  const numbered = [...cited].sort(([a], [b]) => a - b);
  const lines = numbered.map(([n, node]) => `[${n}] ${placesOf(store, node)}`);
  return [...(outcome ? [outcome, ""] : []), spoken.join("").trim(), ...(lines.length ? ["", "Sources", ...lines] : [])].join("\n");
}

function placesOf(store, id) {
  const places = passagesOf(store, id).map((passage) => {
    const { title, where } = store.nodes.get(passage).passage;
    return where === "text" ? title : `${title}, ${where}`;
  });
  return [...new Set(places)].join("; ") || "no recorded source";
}
