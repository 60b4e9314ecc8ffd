// Files that the page makes itself, from what it has been sent.
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
