// How times, numbers and names are said, alike in all panels.
// All times are said in the time zone of whoever looks.
const MINUTES = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const [inMinutes, inSeconds, inDays, inZone] = [
  MINUTES,
  { ...MINUTES, second: "2-digit" },
  { day: "numeric", month: "short", year: "numeric" },
  { timeZoneName: "short" },
].map((parts) => new Intl.DateTimeFormat("en-GB", parts));
const clockOf = (at) => inSeconds.format(at);
const dateOf = (at) => inDays.format(at);

// "14:02:11 · 11 Nov 2026"; a text that is no time as it stands.
function momentOf(stamp) {
  const at = new Date(stamp);
  return Number.isNaN(at.getTime()) ? stamp : `${clockOf(at)} · ${dateOf(at)}`;
}

// "11 Nov 2026, 14:02": where the day matters more than how long ago it was.
const dayAndTime = (stamp) => `${dateOf(new Date(stamp))}, ${inMinutes.format(new Date(stamp))}`;

// "today 14:02:11", "yesterday 09:12", "11 Nov 2026 14:02", and in a saved page the date alone; nothing for a record that
// tells no time.
function whenOf(stamp) {
  const at = new Date(stamp);
  if (!stamp || Number.isNaN(at.getTime())) return stamp || "";
  if (isSaved()) return `${dateOf(at)} ${inMinutes.format(at)}`;
  if (at >= startOf(0) && at < startOf(-1)) return `today ${clockOf(at)}`;
  const time = inMinutes.format(at);
  return at >= startOf(1) && at < startOf(0) ? `yesterday ${time}` : `${dateOf(at)} ${time}`;
}

// "14:02:11 · 11 Nov 2026 GMT+1": in a file, which others read elsewhere.
function zonedOf(stamp) {
  const at = new Date(stamp);
  const zone = inZone.formatToParts(at.getTime() || 0).find(({ type }) => type === "timeZoneName");
  return Number.isNaN(at.getTime()) ? stamp : `${momentOf(stamp)} ${zone.value}`;
}

function startOf(daysAgo) {
  const day = new Date();
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - daysAgo);
  return day;
}

const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

const joinWords = (parts, between = " · ") => parts.filter(Boolean).join(between);

// Of a list that is cut, how many are not on it.
const restOf = (tag, all, shown, look = "pe-quiet") =>
  all > shown && el(tag, look, `and ${(all - shown).toLocaleString("en")} more`);

// How a model is called in a list of models: the one that is none would read "Model: no model".
const modelWord = (name) => (name === "no model" ? "none, quotes only" : name);
const modelAfter = (name) => (name === "no model" ? "no language model" : name); // what compares meanings is another one

// Of a long question its beginning and its end, which tell it from others that begin alike.
const shortened = (question) => question.length > 100 ? `${question.slice(0, 66)} … ${question.slice(-30)}` : question;

// Whether there is a kernel to ask: a saved page has what was found out before.
const canAsk = (store) => Boolean(store.bar && store.live);

// The pipeline that made the run on show, where that is none of explorer's engines: it can't be asked again from here.
const pipelineOf = (store) => [...store.nodes.values()].find(({ pipeline }) => pipeline)?.pipeline;

const canAskAgain = (store) => canAsk(store) && !pipelineOf(store);

const ownSign = () => crypto.getRandomValues(new Uint32Array(1))[0]; // each page of the kernel hears all replies
