// Sliders that are live under the hand, and a choice of whom they speak of: a strip that stays in sight.
// data: {who: {label, options: [[key, text]], chosen}, sliders: [{key, label, steps: [text], values, at, own, note}],
//   seq, ahead: {slider: key}}
// Where what was computed ahead along a slider is here, laws and verdicts follow the hand by it, and the server hears
// only where the hand comes to rest. It is asked for when a hand comes near a slider. Until it is here what is dragged
// is sent while it is dragged, as fast as the page answers and no faster: a new place leaves when the answer to the
// last one is drawn (its number comes back as `seq`), or after a moment without one.

import { child, element, resize, text } from "./dom.js";
import { known, live, move } from "./live.js";

const PATIENCE = 400; // milliseconds until a place is sent although the last one was not answered

export function render(component) {
  const { data, parentElement } = component;
  const strip = child(parentElement, "div", "es-strip");
  strip.component = component;
  strip.sent ??= data.seq;
  const answered = data.seq >= strip.sent;
  if (answered) strip.waiting = false; // what is filled in now is what was asked for
  choices(strip, data.who);
  const sliders = resize(child(strip, "div", "es-sliders"), data.sliders.length, () => slider(strip));
  sliders.forEach((node, i) => fill(strip, node, data.sliders[i]));
  offerBack(strip);
  if (answered) {
    if (strip.next) send(strip);
    else if (!strip.querySelector(".es-range:active")) live.place = null; // the page is where the hand is
  }
}

// Shows what is known here; whether that is all that follows.
function follow(strip) {
  const { ahead } = strip.component.data;
  const at = [...strip.querySelectorAll(".es-slider")].map(({ data, children }) => {
    const at = Number(children[1].value);
    return [data.key, { at, value: data.values[at] }];
  });
  const place = Object.fromEntries(at);
  move(place);
  return known(place, ahead) !== undefined;
}

// A hand comes near a slider: have ready what follows along it. No move, so that it has no number of its own.
function want(strip, slider) {
  const { ahead, seq } = strip.component.data;
  const key = ahead[slider];
  if (live.ahead[slider]?.key === key || strip.wanted === key) return;
  strip.wanted = key;
  strip.at = { seq, settled: false, ...strip.at, wants: slider, has: held() };
  strip.component.setStateValue("asked", strip.at);
}

// The keys of what need not come again.
function held() {
  return Object.fromEntries(Object.entries(live.ahead).map(([slider, { key }]) => [slider, key]));
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
    const [key] = who.options[i];
    button.setAttribute("aria-checked", String(key === who.chosen));
    button.onclick = () => {
      live.place = null;
      place(strip, { who: key, epsilon: null, tau: null }, true); // it begins with that client's own
    };
  });
}

// Whom it speaks of is also the way back to what that client asks for, wherever the sliders were dragged.
function offerBack(strip) {
  const away = [...strip.querySelectorAll(".es-slider")].some(({ data, children }) => data.own !== null && Number(children[1].value) !== data.own);
  const { options } = strip.component.data.who;
  strip.querySelectorAll(".es-choice").forEach((button, i) => {
    const back = away && button.getAttribute("aria-checked") === "true";
    text(button, back ? `${options[i][1]} ↺` : options[i][1]);
    button.title = back ? "Back to what it asks for" : "";
  });
}

function slider(strip) {
  const node = element("label", "es-slider");
  const input = Object.assign(element("input", "es-range"), { type: "range", min: 0, step: 1 });
  node.append(element("span", "es-slider-label"), input, element("span", "es-slider-note"));
  for (const near of ["pointerenter", "focusin"]) node.addEventListener(near, () => want(strip, node.data.key));
  input.addEventListener("input", () => {
    input.held = true;
    told(node);
    offerBack(strip);
    if (!follow(strip)) place(strip, asked(node), false);
  });
  input.addEventListener("change", () => {
    input.held = false;
    place(strip, asked(node), true);
  });
  return node;
}

// Budgets and ranges are told by their place, weights as they are: where they may stand follows the range.
function asked({ data, children }) {
  const at = Number(children[1].value);
  return { [data.key]: data.own === null ? data.values[at] : at, wants: data.key };
}

function fill(strip, node, data) {
  const before = node.data;
  node.data = data;
  const input = node.querySelector("input");
  const held = before?.values[Number(input.value)];
  input.max = data.steps.length - 1;
  input.disabled = data.steps.length === 1;
  input.setAttribute("aria-label", data.label);
  const behind = strip.waiting || strip.next || input.held; // the hand is further than the page
  if (!behind || input.value === "" || held === undefined) input.value = data.at;
  else if (`${before.values}` !== `${data.values}`) input.value = nearest(data.values, held);
  told(node);
  text(node.querySelector(".es-slider-note"), data.note);
}

function nearest(values, value) {
  return values.reduce((best, one, i) => (Math.abs(one - value) < Math.abs(values[best] - value) ? i : best), 0);
}

function told(node) {
  const { label, steps, note } = node.data;
  const input = node.querySelector("input");
  const words = steps[Number(input.value)];
  input.setAttribute("aria-valuetext", note ? `${words}, ${note}` : words);
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
  strip.at = { ...strip.at, ...next, seq: strip.sent, has: held() };
  strip.component.setStateValue("asked", strip.at);
  clearTimeout(strip.timer);
  strip.timer = setTimeout(() => {
    strip.waiting = false;
    if (strip.next) send(strip);
  }, PATIENCE);
}
