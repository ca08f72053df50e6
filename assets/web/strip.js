// Sliders that are live under the hand, and a choice of whom they speak of: a strip that stays in sight.
// data: {who: {label, options: [[key, text]], chosen}, sliders: [{key, label, steps: [text], values, at, note}], seq,
//   ahead}
// Where what was computed ahead is here (its key is `ahead`), the page follows the hand by itself, and the server
// hears where it comes to rest. Else what is dragged is sent while it is dragged, as fast as the page answers and
// no faster: a new place leaves when the answer to the last one is drawn (its number comes back as `seq`), or after
// a moment without one.

import { child, element, resize, text } from "./dom.js";
import { live, move } from "./live.js";

const PATIENCE = 400; // milliseconds until a place is sent although the last one was not answered

export function render(component) {
  const { data, parentElement } = component;
  const strip = child(parentElement, "div", "es-strip");
  strip.component = component;
  strip.sent ??= data.seq;
  choices(strip, data.who);
  const sliders = resize(child(strip, "div", "es-sliders"), data.sliders.length, () => slider(strip));
  sliders.forEach((node, i) => fill(strip, node, data.sliders[i]));
  if (data.seq >= strip.sent) {
    strip.waiting = false;
    if (strip.next) send(strip);
    else if (!strip.querySelector(".es-range:active")) live.place = null; // the page is where the hand is
  }
}

// Whether all that follows is known here; then it is shown.
function follow(strip) {
  if (!live.ahead || live.ahead.key !== strip.component.data.ahead) return false;
  const at = [...strip.querySelectorAll(".es-slider")].map(({ data, children }) => {
    const at = Number(children[1].value);
    return [data.key, { at, value: data.values[at], words: data.steps[at] }];
  });
  move(Object.fromEntries(at));
  return true;
}

function choices(strip, who) {
  const group = child(strip, "div", "es-who");
  group.setAttribute("role", "radiogroup");
  group.setAttribute("aria-label", who.label);
  const buttons = resize(group, who.options.length, () => {
    const button = element("button", "es-choice");
    button.type = "button";
    button.setAttribute("role", "radio");
    return button;
  });
  buttons.forEach((button, i) => {
    const [key, words] = who.options[i];
    text(button, words);
    button.setAttribute("aria-checked", String(key === who.chosen));
    button.onclick = () => {
      live.place = null;
      place(strip, { who: key, epsilon: null }, true); // it begins with that client's own
    };
  });
}

function slider(strip) {
  const node = element("label", "es-slider");
  const input = Object.assign(element("input", "es-range"), { type: "range", min: 0, step: 1 });
  node.append(element("span", "es-slider-label"), input, element("span", "es-slider-note"));
  input.addEventListener("input", () => {
    input.held = true;
    told(node);
    if (!follow(strip)) place(strip, { [node.data.key]: Number(input.value) }, false);
  });
  input.addEventListener("change", () => {
    input.held = false;
    place(strip, { [node.data.key]: Number(input.value) }, true);
  });
  return node;
}

function fill(strip, node, data) {
  node.data = data;
  const input = node.querySelector("input");
  input.max = data.steps.length - 1;
  input.setAttribute("aria-label", data.label);
  const behind = strip.waiting || strip.next || input.held; // the hand is further than the page
  if (!behind || input.value === "") input.value = data.at;
  told(node);
  text(node.querySelector(".es-slider-note"), data.note);
}

function told(node) {
  const { label, steps } = node.data;
  const input = node.querySelector("input");
  const words = steps[Number(input.value)];
  input.setAttribute("aria-valuetext", words);
  const line = node.querySelector(".es-slider-label");
  text(child(line, "span", "es-slider-name"), label);
  text(child(line, "strong", "es-slider-value"), words);
}

function place(strip, change, settled) {
  strip.next = { ...strip.next, ...change, settled };
  if (!strip.waiting || settled) send(strip);
}

function send(strip) {
  const { next } = strip;
  strip.next = undefined;
  strip.waiting = true;
  strip.sent = Math.max(strip.sent, strip.component.data.seq) + 1;
  strip.at = { ...strip.at, ...next, seq: strip.sent, has: live.ahead?.key ?? "" }; // what need not come again
  strip.component.setStateValue("asked", strip.at);
  clearTimeout(strip.timer);
  strip.timer = setTimeout(() => {
    strip.waiting = false;
    if (strip.next) send(strip);
  }, PATIENCE);
}
