// A page that needs no server (pages/parts/still): the pages' own components over stored data.
// data: {words, pool: [pixels], parts: [{kind, id, title, lead: said, data, says: [said], more: [{name, lines: [said]}]}]}
// said: a sentence in pieces, [[words, tag]]

import { render as dissolve } from "./dissolve.js";
import { child, fill, slider } from "./dom.js";
import { render as ladder } from "./ladder.js";
import { render as lineup } from "./lineup.js";
import { render as outcome } from "./outcome.js";
import { render as panels } from "./panels.js";
import { draw as plot } from "./still_chart.js";

const PACE = 900; // milliseconds a round
const KEPT = "epsilon-studio lessons";

const PARTS = { dissolve: shown(dissolve), ladder: shown(ladder), replay, lessons, words: () => {} };

// All of it into a place, from gzip in base64.
export async function start(packed, place) {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const { parts, words, pool } = await new Response(stream).json();
  const whole = (value) => {
    if (Array.isArray(value)) return value.map(whole);
    if (!value || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, key === "pixels" ? pool[one] : whole(one)]));
  };
  const section = ({ id, title, lead, says = [], more = [] }) => [
    "section.still-part",
    { id },
    [
      ["h2", title],
      ["p.still-lead", lead.map(piece)],
      ["div.still-place"],
      ["ul.still-says", { hidden: !says.length }, says.map((one) => ["li", one.map(piece)])],
      ["div", more.map(({ name, lines }) => ["details.still-more", [["summary", name], ["div", lines.map((one) => ["p", one.map(piece)])]]])],
    ],
  ];
  fill(place, parts.map(section)).forEach((node, i) => PARTS[parts[i].kind](node.querySelector(".still-place"), whole(parts[i].data), words));
  document.body.dataset.ready = "yes";
}

function piece([words, tag]) {
  return [tag, words];
}

function shown(render) {
  return (parentElement, data) => render({ data, parentElement, setTriggerValue: toOwn, setStateValue: toOwn });
}

function toOwn() {
  document.getElementById("own").scrollIntoView({ behavior: "smooth" });
}

function button(words, onclick, more = {}) {
  return ["button.still-button", { type: "button", onclick, ...more }, words];
}

// A training after each of its rounds. data: {rounds: [words], frames: [data of panels.js]}
function replay(place, { rounds, frames }, words) {
  const [box, drawn] = ["still-bar", "still-panels"].map((name) => child(place, "div", name));
  const last = frames.length - 1;
  let [at, timer] = [last, 0];
  const stop = () => (timer = clearInterval(timer));
  const step = () => (at < last ? show(at + 1) : (stop(), show(at)));
  const play = () => {
    if (timer) stop();
    else {
      if (at === last) at = 0;
      timer = setInterval(step, PACE);
    }
    show(at);
  };
  const move = (to) => {
    stop();
    show(to);
  };
  const show = (to) => {
    at = to;
    const range = slider("still-range", last, at, move, { ariaLabel: words.rounds, ariaValueText: rounds[at] });
    fill(box, [button(timer ? words.pause : words.play, play), range, ["span.still-round", rounds[at]]]);
    panels({ data: frames[at], parentElement: drawn });
  };
  show(at);
}

// data: {lessons: [{name, title, setting, ask, beside, options or most, unit and start, named: [words of a guess], level,
//   replies: {guess: said}, bare: said, why: [said], shown: data of outcome.js, figures,
//   change: {name, steps: [{name, said}]}, transfer: {ask, options, replies: [said]}}]}
function lessons(place, data, words) {
  const told = kept(), list = data.lessons;
  const nav = child(place, "div", "still-steps"), box = child(place, "div", "still-lesson");
  let now = Math.min(told.now ?? 0, list.length - 1);
  const keep = (change) => {
    told[list[now].name] = { ...told[list[now].name], ...change };
    keepAll(told);
    show();
  };
  const go = (to) => {
    told.now = now = to;
    keepAll(told);
    box.replaceChildren();
    show();
  };
  const show = () => {
    const step = ({ name, title }, i) => button(`${title}${told[name]?.last === undefined ? "" : " ✓"}`, () => go(i), { "aria-current": i === now ? "step" : null });
    fill(nav, list.map(step));
    lesson(box, list[now], told[list[now].name] ?? {}, keep, words);
    fill(child(box, "div", "still-next"), [button(words.next, () => go(now + 1), { hidden: now === list.length - 1 || told[list[now].name]?.last === undefined })]);
  };
  show();
}

function lesson(box, one, mine, keep, words) {
  const [question, chart, after, last] = ["question", "picture", "after", "last"].map((name) => child(box, "div", `still-${name}`));
  const { open, guess } = mine, asked = guess ?? one.start;
  const pick = (value, name) => button(name, () => keep({ guess: value }), { "aria-pressed": String(value === guess) });
  const field = one.options
    ? one.options.map((name) => pick(name, name))
    : [slider("still-range", one.most, asked, (to) => keep({ guess: to }), { ariaLabel: one.ask, ariaValueText: one.named[asked] }), ["strong", one.named[asked]]];
  const reply = guess === undefined ? one.bare : one.replies[guess];
  fill(question, [
    ["h3", one.title],
    ["p", one.setting],
    ["p", [["strong", one.ask]]],
    ["p.still-small", { hidden: Boolean(open) || !one.beside }, one.beside],
    ["div.still-field", { hidden: Boolean(open) }, field],
    ["div", { hidden: Boolean(open) }, [button(guess === undefined ? words.skip : words.reveal, () => keep({ open: true }), { className: "still-button still-reveal" })]],
    ["div.still-answer", { hidden: !open }, open ? [["p", reply.map(piece)], ...one.why.map((said) => ["p", said.map(piece)])] : []],
  ]);
  const guides = one.level && guess !== undefined ? [{ name: one.level[guess], y: guess / one.most }] : [];
  chart.hidden = after.hidden = last.hidden = !open;
  if (!open) return;
  outcome({ data: { ...one.shown, guides: [...one.shown.guides, ...guides] }, parentElement: chart });
  if (!after.childElementCount) {
    fill(after, one.figures.map(({ title, caption }) => ["section.still-card", [["h4", title], ["p.still-small", caption.map(piece)], ["div"]]]));
    one.figures.forEach(({ kind, data }, i) => FIGURES[kind](after.children[i].lastElementChild, data, words));
  }
  const { change, transfer } = one, at = mine.change ?? change?.start;
  const range = (steps) => slider("still-range", steps.length - 1, at, (to) => keep({ change: to }), { ariaValueText: steps[at].name });
  const other = ({ name, steps }) => [
    ["h4", words.change],
    ["label.still-field", [["span", `${name}: ${steps[at].name}`], range(steps)]],
    ["p", steps[at].said.map(piece)],
  ];
  const answer = (name, i) => button(name, () => keep({ last: i }), { "aria-pressed": String(mine.last === i) });
  const elsewhere = [
    ["h4", words.elsewhere],
    ["p", transfer.ask],
    ["div.still-field", transfer.options.map(answer)],
    ["p", { "aria-live": "polite" }, (transfer.replies[mine.last] ?? []).map(piece)],
  ];
  fill(last, [...(change ? [other(change)] : []), elsewhere].map((card) => ["section.still-card", card]));
}

const FIGURES = {
  chart: (place, { figure, height, label }) => plot(place, JSON.parse(figure), height, label),
  lineup: chosen((place, data) => lineup({ data, parentElement: place })),
  dots,
};

// One of several, each with its data. data: {name, options: [{name, data}]}
function chosen(draw) {
  return (place, { name, options }) => {
    const bar = child(place, "div", "still-field"), drawn = child(place, "div", "still-drawn");
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", name);
    const show = (to) => {
      fill(bar, options.map((one, i) => button(one.name, () => show(i), { "aria-pressed": String(i === to) })));
      drawn.replaceChildren();
      draw(drawn, options[to].data);
    };
    show(0);
  };
}

// A dot for each number that an ε covers. data: {sliders: [{name, steps: [words]}], cells: [[{shown, side, label, says: [said]}]]}
function dots(place, { sliders, cells }) {
  const at = sliders.map(() => 0);
  const show = () => {
    const { shown: count, side, label, says } = cells[at[0]][at[1]];
    const bar = ({ name, steps }, i) => {
      const range = slider("still-range", steps.length - 1, at[i], (to) => {
        at[i] = to;
        show();
      }, { ariaValueText: steps[at[i]] });
      return ["label.still-field", [["span", `${name}: ${steps[at[i]]}`], range]];
    };
    const [canvas] = fill(place, [
      ["canvas.still-dots", { role: "img", "aria-label": label }],
      ["div", sliders.map(bar)],
      ["div", says.map((one) => ["p", one.map(piece)])],
    ]);
    const cell = Math.max(3, Math.floor(840 / side));
    [canvas.width, canvas.height] = [side * cell, Math.ceil(count / side) * cell];
    const pen = canvas.getContext("2d");
    pen.fillStyle = getComputedStyle(place).color;
    for (let i = 0; i < count; i += 1) pen.fillRect((i % side) * cell, Math.floor(i / side) * cell, 0.7 * cell, 0.7 * cell);
  };
  show();
}

// What was guessed lives in the browser, where a page may keep something there, else as long as the page.
function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) ?? {};
  } catch {
    return {};
  }
}

function keepAll(told) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(told));
  } catch {
    return;
  }
}
