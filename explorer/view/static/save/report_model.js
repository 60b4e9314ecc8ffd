// The view in a report: a model that answers from what was stored with it. There is no kernel to ask.
const WANTED = new Set(["ask", "open", "compare?", "save?"]); // what a person asks for; the rest the view looks up

function storedModel(data, say) {
  const listeners = [];
  return {
    get: (name) => data[name],
    set: (name, value) => (data[name] = value),
    save_changes: () => {},
    on: (name, listener) => name === "msg:custom" && listeners.push(listener),
    off: (name, listener) => listeners.splice(0, Infinity, ...listeners.filter((one) => one !== listener)),
    send(message) {
      const reply = replyFrom(data, message);
      if (reply) for (const listener of listeners) listener(reply, []);
      else if (WANTED.has(message.t))
        say("This file holds what was on show when it was saved. For more, open the run in the app.");
    },
  };
}

function replyFrom(data, message) {
  if (message.t === "save?") return message.format === "svg" && { t: "save", format: "svg", ...data.svg };
  const left = message.t === "notkept?" && data.left[message.node];
  if (left) return { t: "notkept", run: message.run, node: message.node, ...left };
  const record = message.t === "record?" && data.records[message.node];
  if (record) return { t: "record", run: message.run, node: message.node, ...record };
  if (message.t !== "source?") return null;
  const spot = data.spots[message.key] ?? (message.turned ? null : data.spots[message.node]);
  const page = spot ? pageAt(data, spot) : notStored(data, message.node);
  return page && { t: "source", run: message.run, key: message.key, ...page };
}

// A sheet is stored once, however many passages stand on it. Offsets count characters, not JavaScript's half ones.
function pageAt({ sheets }, [number, mine, note]) {
  const { text, spans, ...sheet } = sheets[number];
  const letters = [...text];
  const marks = Array(letters.length).fill("");
  for (const [from, to] of spans) marks.fill("other", from, to);
  for (const [from, to] of mine) marks.fill("mine", from, to);
  const others = marks.includes("other");
  const runs = [];
  letters.forEach((letter, at) => {
    if (at && marks[at] === marks[at - 1]) runs.at(-1)[0] += letter;
    else runs.push([letter, marks[at]]);
  });
  return { ...sheet, runs, others, note };
}

// The words themselves are part of every passage, so they can be shown where its page can't.
function notStored(data, id) {
  const passage = nodeIn(data.snapshot, id)?.passage;
  if (!passage) return null;
  const { title, where, text, note } = passage;
  return { title, sub: where, note, runs: [[text, "mine"]], trouble: "This page is not part of the saved file." };
}

// A node as it was told last: at the end, or on the way there.
function nodeIn({ nodes, frames }, id) {
  const told = nodes ?? frames.flatMap((frame) => frame.nodes ?? []);
  return told.findLast((node) => node.id === id);
}

function openReport({ runs, ...shared }) {
  if (!runs.length) return; // the host tells which one
  const folds = [...document.querySelectorAll(".pe-about details")];
  addEventListener("beforeprint", () => folds.forEach((fold) => (fold.open = true)));
  for (const time of document.querySelectorAll("time")) time.textContent = zonedOf(time.dateTime);
  const open = (at) => openSaved(document.getElementById(`run-${at + 1}`), { ...shared, ...runs[at] });
  open(0);
  const come = (seen) => {
    for (const { target } of seen.filter((one) => one.isIntersecting)) {
      near.unobserve(target);
      open(Number(target.id.slice("run-".length)) - 1);
    }
  };
  const near = new IntersectionObserver(come, { rootMargin: "1000px" });
  for (const at of runs.keys()) if (at) near.observe(document.getElementById(`run-${at + 1}`));
}

function openSaved(article, data) {
  const missing = el("p", { class: "pe-about-note", role: "status" });
  const model = storedModel(data, (words) => fill(missing, words));
  const formats = data.hosted ? [] : ["png", "svg"]; // a frame of a host may not save files
  const store = Object.assign(makeStore(model), { formats, lessons: { teaches: false, quizzes: true } });
  article.classList.add("pe-drawn");
  article.querySelector(".pe-about").append(missing);
  initialize({ model, store });
  render({ model, store, el: article.querySelector(".pe-place") });
}
