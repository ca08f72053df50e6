// Sliders that are live under the hand, and a choice of whom they speak of: a strip that stays in sight.
// data: {who: {label, options: [[key, text]], chosen}, sliders: [{key, label, steps: [text], values, at, own, note}],
//   seq, ahead: {slider: key}}
// Where what was computed ahead along a slider is here, laws and verdicts follow the hand by it, and the server hears
// only where the hand comes to rest. It is asked for when a hand comes near a slider. Until it is here what is dragged
// is sent while it is dragged, as fast as the page answers and no faster: a new place leaves when the answer to the
// last one is drawn (its number comes back as `seq`), or after a moment without one.

import { child, fill, slider } from "./dom.js";
import { known, live, move } from "./live.js";

const PATIENCE = 400; // milliseconds until a place is sent although the last one was not answered

export function render(component) {
  const { data, parentElement } = component;
  const strip = child(parentElement, "div", "es-strip");
  strip.sent ??= data.seq;
  const answered = data.seq >= strip.sent;
  if (answered) strip.waiting = false; // what is filled in now is what was asked for
  const before = strip.component?.data.sliders;
  strip.component = component;
  strip.places = Object.fromEntries(data.sliders.map((one, i) => [one.key, stands(strip, one, before?.[i])]));
  show(strip);
  if (answered) {
    if (strip.next) send(strip);
    else if (!strip.querySelector(".es-range:active")) live.place = null; // the page is where the hand is
  }
}

// Where a slider stands: as the page says, unless the hand is further than the page; then at the nearest place.
function stands(strip, { key, values, at }, before) {
  const held = before?.values[strip.places[key]];
  if (held === undefined || !(strip.waiting || strip.next || strip.held === key)) return at;
  if (`${before.values}` === `${values}`) return strip.places[key];
  return values.reduce((best, one, i) => (Math.abs(one - held) < Math.abs(values[best] - held) ? i : best), 0);
}

function show(strip) {
  const { who, sliders } = strip.component.data;
  // whom it speaks of is also the way back to what that client asks for, wherever the sliders were dragged
  const away = sliders.some(({ key, own }) => own !== null && strip.places[key] !== own);
  const choice = ([key, name]) => {
    const chosen = key === who.chosen;
    const onclick = () => {
      live.place = null;
      place(strip, { who: key, epsilon: null, tau: null }, true); // it begins with that client's own
    };
    const told = { role: "radio", "aria-checked": String(chosen), title: away && chosen ? "Back to what it asks for" : "" };
    return ["button.es-choice", { type: "button", ...told, onclick }, away && chosen ? `${name} ↺` : name];
  };
  fill(strip, [
    ["div.es-who", { role: "radiogroup", "aria-label": who.label }, who.options.map(choice)],
    ["div.es-sliders", sliders.map((one) => range(strip, one))],
  ]);
}

function range(strip, { key, label, steps, values, own, note }) {
  const near = () => want(strip, key);
  // budgets and ranges are told by their place, weights as they are: where they may stand follows the range
  const asked = (at) => ({ [key]: own === null ? values[at] : at, wants: key });
  const moved = (at) => {
    strip.held = key;
    strip.places[key] = at;
    show(strip);
    if (!follow(strip)) place(strip, asked(at), false);
  };
  const onchange = ({ target }) => {
    strip.held = null;
    place(strip, asked(Number(target.value)), true);
  };
  const words = steps[strip.places[key]];
  const told = { "aria-label": label, "aria-valuetext": note ? `${words}, ${note}` : words };
  const more = { step: 1, disabled: steps.length === 1, onchange, onfocus: near, ...told };
  return [
    "label.es-slider",
    { onpointerenter: near },
    [
      ["span.es-slider-label", [["span.es-slider-name", label], ["strong.es-slider-value", words]]],
      slider("es-range", steps.length - 1, strip.places[key], moved, more),
      ["span.es-slider-note", note],
    ],
  ];
}

// Shows what is known here; whether that is all that follows.
function follow(strip) {
  const { ahead, sliders } = strip.component.data;
  const here = sliders.map(({ key, values }) => [key, { at: strip.places[key], value: values[strip.places[key]] }]);
  const place = Object.fromEntries(here);
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
