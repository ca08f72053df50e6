// A square to draw a digit on, with a finger, a mouse or the keyboard: what is seen is what is sent.
// data: {side, pixels, label, hint, clear}; pixels: what the square begins with, base64 of one byte a pixel, or "".
// What was drawn arrives as drawn: {pixels}, when the pen is lifted.

import { child, text } from "./dom.js";

const WIDTH = 1.7; // of the pen, in pixels of the picture
const STEP = 0.2;

export function render(component) {
  const { data, parentElement } = component;
  const box = child(parentElement, "div", "es-sketch");
  const canvas = child(box, "canvas", "es-sketch-square");
  box.component = component;
  if (!box.ink) begin(box, canvas, data);
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-label", data.label);
  text(child(box, "p", "es-sketch-hint"), data.hint);
  const clear = child(box, "button", "es-sketch-clear");
  clear.type = "button";
  text(clear, data.clear);
  clear.onclick = () => {
    box.ink.fill(0);
    show(box, canvas);
    send(box);
  };
  show(box, canvas);
}

function begin(box, canvas, data) {
  box.side = canvas.width = canvas.height = data.side;
  canvas.tabIndex = 0;
  box.ink = Uint8ClampedArray.from(data.pixels ? atob(data.pixels) : "", (one) => one.charCodeAt(0));
  if (box.ink.length !== box.side ** 2) box.ink = new Uint8ClampedArray(box.side ** 2);
  box.at = [box.side / 2, box.side / 4];
  const place = (event) => {
    const { left, top, width } = canvas.getBoundingClientRect();
    return [((event.clientX - left) / width) * box.side, ((event.clientY - top) / width) * box.side];
  };
  canvas.onpointerdown = (event) => {
    canvas.setPointerCapture(event.pointerId);
    box.from = place(event);
    stroke(box, canvas, box.from);
  };
  canvas.onpointermove = (event) => {
    if (!box.from) return;
    for (const one of event.getCoalescedEvents?.() ?? [event]) stroke(box, canvas, place(one));
  };
  canvas.onpointerup = canvas.onpointercancel = () => {
    if (!box.from) return;
    box.from = null;
    send(box);
  };
  // arrows move the pen; it draws while Shift is held
  canvas.onkeydown = (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way) return;
    event.preventDefault();
    box.from = box.at;
    box.at = box.at.map((one, i) => Math.min(box.side - 0.5, Math.max(0.5, one + way[i])));
    if (event.shiftKey) stroke(box, canvas, box.at);
    box.from = null;
    show(box, canvas);
  };
  canvas.onkeyup = (event) => event.key === "Shift" && send(box);
  canvas.onfocus = canvas.onblur = () => show(box, canvas);
}

// From where the pen was to where it is.
function stroke(box, canvas, to) {
  const [x, y] = box.from;
  const steps = Math.ceil(Math.hypot(to[0] - x, to[1] - y) / STEP) || 1;
  for (let i = 0; i <= steps; i += 1) dab(box, x + ((to[0] - x) * i) / steps, y + ((to[1] - y) * i) / steps);
  if (box.from !== box.at) box.from = to;
  show(box, canvas);
}

function dab({ ink, side }, x, y) {
  for (let row = Math.max(0, Math.floor(y - 3)); row < Math.min(side, y + 3); row += 1) {
    for (let column = Math.max(0, Math.floor(x - 3)); column < Math.min(side, x + 3); column += 1) {
      const far = Math.hypot(column + 0.5 - x, row + 0.5 - y);
      ink[row * side + column] = Math.max(ink[row * side + column], 255 * (WIDTH + 0.5 - far));
    }
  }
}

function show(box, canvas) {
  const { ink, side } = box;
  const pen = canvas.getContext("2d");
  const picture = new ImageData(side, side);
  ink.forEach((one, i) => picture.data.set([one, one, one, 255], 4 * i));
  pen.putImageData(picture, 0, 0);
  if (document.activeElement !== canvas || !canvas.matches(":focus-visible")) return;
  pen.fillStyle = "#e0a000";
  pen.fillRect(Math.floor(box.at[0]), Math.floor(box.at[1]), 1, 1);
}

function send(box) {
  const empty = box.ink.every((one) => !one);
  const pixels = empty ? "" : btoa(String.fromCharCode(...box.ink));
  box.component.setStateValue("drawn", { pixels });
}
