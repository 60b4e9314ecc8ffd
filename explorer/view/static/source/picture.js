// The picture of a page. Its margins are cropped, and no side of it is cut off; where it could not be read its text is
// shown first, and one click enlarges it.
const LEAST_TYPE = 10; // px: below this the text is shown first
const TYPE = 0.9; // of the box of a line: a line of Times is 1.11 of its type high, one of Helvetica 1.12
const PAPER = 0.015; // of the page: what is left of its margins
const PADDING = 24; // px beside the paper

const isMine = ({ kind }) => kind === "mine";

function croppedTo({ ink }) {
  const [left, top] = [Math.max(0, ink.x - PAPER), Math.max(0, ink.y - PAPER)];
  const [right, bottom] = [Math.min(1, ink.x + ink.w + PAPER), Math.min(1, ink.y + ink.h + PAPER)];
  return { x: left, y: top, w: right - left, h: bottom - top };
}

// How large the type of the words is where the cropped page is so wide, in px; of a page without words it is not known.
function typeAt(picture, width) {
  const boxes = picture.boxes.filter((box) => box.w > 0);
  const mine = boxes.filter(isMine);
  const heights = (mine.length ? mine : boxes).map((box) => box.h * picture.height).sort((a, b) => a - b);
  if (!heights.length) return LEAST_TYPE;
  return (heights[heights.length >> 1] * TYPE * width) / (croppedTo(picture).w * picture.width);
}

// Who has chosen page or text gets it; else the page, if its words can be marked there and read in a panel of this width.
function isPictured(view, page) {
  const { mode, width, large } = view;
  if (!page.image || mode) return Boolean(page.image) && mode === "page";
  if (!isMarked(view, page)) return false;
  return large || !width || typeAt(page.page, width - PADDING) >= LEAST_TYPE;
}

// Whether it is known where on the picture the words are that are to be marked: of a scanned page it is not.
function isMarked(view, page) {
  const { boxes, facts } = page.page;
  const chosen = chosenPlaces(view, page);
  const wanted = chosen.length > 0 || page.runs.some(([, kind]) => kind === "mine");
  const places = chosen.length > 0 ? chosen.flatMap((place) => facts[place]) : boxes.filter(isMine);
  return !wanted || places.some((box) => box.w > 0);
}

// Boxes over the picture hold the words themselves, unseen, so that they can be read aloud, copied and checked.
function pictureOf(page, chosen, view) {
  const part = (value) => `${value * 100}%`;
  const { width, height, boxes, facts } = page.page;
  const crop = croppedTo(page.page);
  const sheet = el("div", {
    class: "pe-sheet",
    style: {
      left: part(-crop.x / crop.w),
      top: part(-crop.y / crop.h),
      width: part(1 / crop.w),
      height: part(1 / crop.h),
    },
  });
  sheet.append(el("img", { src: page.image, alt: `Picture of ${page.title}, ${page.sub}`, draggable: "false" }));
  const put = (tag, name, box) => {
    const style = { left: part(box.x), top: part(box.y), width: part(box.w), height: part(box.h) };
    sheet.append(el(tag, { class: name, style }, box.text));
  };
  for (const box of boxes) put(isMine(box) ? "mark" : "span", box.kind, box);
  for (const place of chosen) for (const box of facts[place]) put("span", "other chosen", box);
  const style = {
    aspectRatio: `${crop.w * width} / ${crop.h * height}`,
    width: part(1),
    maxWidth: `${Math.round(crop.w * width * (view.large ? 1.3 : 1))}px`, // larger than it was drawn it blurs
  };
  return el("div", { class: "pe-paper picture", style, onclick: view.large ? null : view.enlarged.open }, sheet);
}
