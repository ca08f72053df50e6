// The whole ladder as one picture to take away, with its caption.

import { download } from "./dom.js";

const CELL = 84;
const GAP = 8;
const LINE = 16;
const LEFT = 130;
const EDGE = 24;

export function save(data, box) {
  const style = getComputedStyle(box);
  const colours = {
    paper: style.getPropertyValue("--st-background-color").trim() || "#ffffff",
    ink: style.getPropertyValue("--st-text-color").trim() || "#000000",
    recovered: style.getPropertyValue("--st-red-color").trim() || "#b3261e",
    partly: style.getPropertyValue("--st-orange-color").trim() || "#b35900",
  };
  const sheet = document.createElement("canvas");
  const across = Math.max(LEFT + data.budgets.length * (CELL + GAP), 760) + 2 * EDGE;
  const pen = sheet.getContext("2d");
  pen.font = `13px ${style.fontFamily}`;
  const caption = wrapped(pen, data.caption, across - 2 * EDGE);
  const tall = [data.known, ...data.rows.map((row) => row.cells)].map(height);
  sheet.width = 2 * across;
  sheet.height = 2 * (EDGE * 2 + 34 + LINE + tall.reduce((a, b) => a + b + GAP, 0) + caption.length * 18 + GAP);
  pen.scale(2, 2);
  pen.fillStyle = colours.paper;
  pen.fillRect(0, 0, sheet.width, sheet.height);
  const write = (words, x, y, font = "12px") => {
    pen.fillStyle = colours.ink;
    pen.font = `${font} ${style.fontFamily}`;
    pen.fillText(words, x, y);
  };
  write(data.title, EDGE, EDGE + 14, "600 18px");
  let y = EDGE + 34;
  const shots = box.querySelectorAll(".es-known .es-shot");
  data.known.forEach((cell, i) => shot(pen, write, cell, shots[i], EDGE + LEFT + i * (CELL + GAP), y, colours));
  y += tall[0] + GAP;
  data.budgets.forEach((words, i) => write(words, EDGE + LEFT + i * (CELL + GAP), y + 12));
  y += LINE + 4;
  const all = [...box.querySelectorAll(".es-cells-all .es-shot")];
  data.rows.forEach((row, r) => {
    write(row.name, EDGE, y + CELL / 2, "600 13px");
    row.cells.forEach((cell, c) => {
      if (cell) shot(pen, write, cell, all[r * data.budgets.length + c], EDGE + LEFT + c * (CELL + GAP), y, colours);
    });
    y += tall[r + 1] + GAP;
  });
  caption.forEach((line, i) => write(line, EDGE, y + 16 + 18 * i, "13px"));
  sheet.toBlob((blob) => {
    const address = URL.createObjectURL(blob);
    download(address, "epsilon-studio-ladder.png");
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  });
}

function height(cells) {
  const tallest = Math.max(...cells.map((cell) => (cell ? cell.images.length * (CELL + 2) + cell.lines.length * LINE : CELL)));
  return tallest + 4;
}

function shot(pen, write, cell, node, x, y, colours) {
  const canvases = node.querySelectorAll("canvas");
  pen.imageSmoothingEnabled = false;
  canvases.forEach((canvas, i) => pen.drawImage(canvas, x, y + i * (CELL + 2), CELL, CELL));
  const mark = colours[cell.mark];
  if (mark) {
    pen.strokeStyle = mark;
    pen.lineWidth = 2;
    pen.strokeRect(x + 1, y + 1, CELL - 2, canvases.length * (CELL + 2) - 4);
  }
  cell.lines.forEach((words, i) => write(words, x, y + canvases.length * (CELL + 2) + 12 + LINE * i, "11px"));
}

export function wrapped(pen, words, width) {
  const lines = [""];
  for (const word of words.split(" ")) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (pen.measureText(longer).width > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
