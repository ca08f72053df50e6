// What somebody has guessed, drawn and seen in a class, kept by this tab and by nobody else.
// data: {code, row: {id, title, lines, images: [{image, name}]} or null, words}; without a code the last class's card.

import { child, download, fill, picture, text } from "./dom.js";

const PLACE = "epsilon-studio-card";
const WIDTH = 640;
const SHOT = 112;
const LINE = 24;

export function render({ data, parentElement }) {
  const kept = stored();
  const rows = !data.code || kept.code === data.code ? kept.rows : [];
  if (data.row) {
    const at = rows.findIndex(({ id }) => id === data.row.id);
    rows.splice(at < 0 ? rows.length : at, at < 0 ? 0 : 1, data.row);
    store({ code: data.code, rows });
  }
  const box = child(parentElement, "details", "es-card-kept");
  box.hidden = !rows.length;
  text(child(box, "summary", "es-card-name"), data.words["my card"]);
  const list = child(box, "div", "es-card-rows");
  fill(list, rows.map(({ title, lines, images = [] }) => [
    "section",
    [
      ["h2", title],
      ["div.es-card-shots", images.map(({ image, name }) => ["figure", [picture("es-card-shot", image, name), ["figcaption", name]]])],
      ["div", lines.map((line) => ["p", line])],
    ],
  ]));
  const save = child(box, "button", "es-save-as");
  save.type = "button";
  text(save, data.words["keep card"]);
  save.onclick = () => download(drawn(data.words["my card"], rows, list), "my-card.png");
  text(child(box, "p", "es-card-note"), data.words["card stays"]);
}

function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(PLACE)) ?? { rows: [] };
  } catch {
    return { rows: [] }; // storage is closed to us, or holds something else
  }
}

function store(kept) {
  try {
    sessionStorage.setItem(PLACE, JSON.stringify(kept));
  } catch {
    // it lasts as long as the page
  }
}

// The card as the address of a picture, dark on white.
function drawn(title, rows, list) {
  const sheet = document.createElement("canvas");
  const pen = sheet.getContext("2d");
  const family = getComputedStyle(list).fontFamily;
  const shots = [...list.children].map((section) => [...section.querySelectorAll("canvas")]);
  pen.font = `16px ${family}`;
  const lines = rows.map((row) => row.lines.flatMap((line) => wrapped(pen, line, WIDTH - 2 * LINE)));
  const tall = lines.map((some, i) => LINE * (some.length + 2) + (shots[i].length ? SHOT + 2 * LINE : 0));
  [sheet.width, sheet.height] = [2 * WIDTH, 2 * (3 * LINE + tall.reduce((a, b) => a + b, 0))];
  pen.scale(2, 2);
  [pen.fillStyle, pen.imageSmoothingEnabled] = ["#ffffff", false];
  pen.fillRect(0, 0, WIDTH, sheet.height);
  pen.fillStyle = "#0e1420";
  const write = (words, x, y, font) => {
    pen.font = `${font} ${family}`;
    pen.fillText(words, x, y);
  };
  write(title, LINE, 1.5 * LINE, "600 22px");
  let y = 3 * LINE;
  rows.forEach((row, i) => {
    write(row.title, LINE, y, "600 17px");
    lines[i].forEach((line, k) => write(line, LINE, y + (k + 1) * LINE, "16px"));
    shots[i].forEach((shot, k) => {
      const [x, top] = [LINE + k * (SHOT + LINE), y + (lines[i].length + 0.5) * LINE];
      pen.drawImage(shot, x, top, SHOT, SHOT);
      write(row.images[k].name, x, top + SHOT + 0.8 * LINE, "13px");
    });
    y += tall[i];
  });
  return sheet.toDataURL();
}

function wrapped(pen, words, width) {
  const lines = [""];
  for (const word of words.split(" ")) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (pen.measureText(longer).width > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
