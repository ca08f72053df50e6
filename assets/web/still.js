// A page that needs no server (pages/parts/still): the pages' own components over stored data.
// data: {words, pool: [pixels], parts: [{kind, id, title, lead: said, data, says: [said], more: [{name, lines: [said]}]}]}
// said: a sentence in pieces, [[words, tag]]

import { render as coin } from "./coin.js";
import { render as room } from "./coin_room.js";
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

// data: {languages: [{name, lang, words: {key: said}, lessons: [{name, title, setting, terms: [said], ask, transfer: {ask, options,
//   replies: [said]}, and of a coin: coin, room: their data, odds; of a class: needs; else: beside, options or most, start and named: [words of a guess], level,
//   replies: {guess: said}, bare: said, why: [said], shown: data of outcome.js, figures, change: {name, start, steps: [{name, said}]}}]}]}
function lessons(place, { languages }) {
  const told = kept();
  const [switches, nav, box] = ["still-field", "still-steps", "still-lesson"].map((name) => child(place, "div", name));
  const show = (fresh) => {
    const spoken = languages.find(({ lang }) => lang === told.lang) ?? languages[0];
    const { lessons: list, lang, words } = spoken;
    const now = Math.min(told.now ?? 0, list.length - 1), { name } = list[now];
    const set = (change, anew) => {
      Object.assign(told, change);
      keepAll(told);
      show(anew);
    };
    const keep = (change) => set({ [name]: { ...told[name], ...change } });
    const done = (one) => told[one.name]?.[`last ${lang}`] !== undefined;
    const step = (one, i) => button(`${one.title}${done(one) ? " ✓" : ""}`, () => set({ now: i }, true), { "aria-current": i === now ? "step" : null });
    const speak = (one) => button(one.name, () => set({ lang: one.lang }, true), { lang: one.lang, "aria-pressed": String(one === spoken) });
    fill(switches, languages.length > 1 ? languages.map(speak) : []);
    fill(nav, list.map(step));
    if (fresh) box.replaceChildren();
    box.lang = lang;
    lesson(box, list[now], told[name] ?? {}, keep, words, `last ${lang}`);
    const next = words.next.map(([said]) => said).join("").replace("{label}", list[now + 1]?.title ?? "");
    fill(child(box, "div", "still-next"), done(list[now]) && list[now + 1] ? [button(next, () => set({ now: now + 1 }, true))] : []);
  };
  show(true);
}

function lesson(box, one, mine, keep, words, answered) {
  const [question, drawn, after, last] = ["question", "picture", "after", "last"].map((name) => child(box, "div", `still-${name}`));
  const open = Boolean(mine.open || !one.why);
  const head = [
    ["h3", one.title],
    ["p", one.setting],
    ["div", one.terms.map((said) => ["p.still-small", said.map(piece)])],
    ["p", [["strong", one.ask]]],
  ];
  fill(question, [...head, ...(one.why ? guessing(one, mine, keep, words) : [["div.still-coin"], ["p", one.odds ?? one.needs]])]);
  drawn.hidden = !open || Boolean(one.needs);
  after.hidden = last.hidden = !open;
  if (!open) return;
  if (one.room) {
    coin({ data: one.coin, parentElement: question.querySelector(".still-coin") });
    room({ data: one.room, parentElement: drawn });
  } else if (one.shown) {
    const guides = one.level && mine.guess !== undefined ? [{ name: one.level[mine.guess], y: mine.guess / one.most }] : [];
    outcome({ data: { ...one.shown, guides: [...one.shown.guides, ...guides] }, parentElement: drawn });
  }
  if (!after.childElementCount && one.figures) {
    fill(after, one.figures.map(({ title, caption }) => ["section.still-card", [["h4", title], ["p.still-small", caption.map(piece)], ["div"]]]));
    one.figures.forEach(({ kind, data }, i) => FIGURES[kind](after.children[i].lastElementChild, data));
  }
  const cards = one.change ? [changing(one.change, mine, keep, words)] : [];
  fill(last, [...cards, elsewhere(one.transfer, mine, keep, words, answered)].map((card) => ["section.still-card", card]));
}

function guessing(one, { open, guess }, keep, words) {
  if (open) return [["div.still-answer", [guess === undefined ? one.bare : one.replies[guess], ...one.why].map((said) => ["p", said.map(piece)])]];
  const asked = guess ?? one.start;
  const pick = (name) => button(name, () => keep({ guess: name }), { "aria-pressed": String(name === guess) });
  const field = one.options
    ? one.options.map(pick)
    : [slider("still-range", one.most, asked, (to) => keep({ guess: to }), { ariaLabel: one.ask, ariaValueText: one.named[asked] }), ["strong", one.named[asked]]];
  return [
    ["p.still-small", one.beside],
    ["div.still-field", field],
    ["button.still-button.still-reveal", { type: "button", onclick: () => keep({ open: true }) }, words.show.map(piece)],
  ];
}

function changing({ name, start, steps }, { change = start }, keep, words) {
  const range = slider("still-range", steps.length - 1, change, (to) => keep({ change: to }), { ariaValueText: steps[change].name });
  return [
    ["h4", words["change one thing"].map(piece)],
    ["label.still-field", [["span", `${name}: ${steps[change].name}`], range]],
    ["p", steps[change].said.map(piece)],
  ];
}

function elsewhere({ ask, options, replies }, mine, keep, words, answered) {
  const chosen = mine[answered];
  const answer = (name, i) => button(name, () => keep({ [answered]: i }), { "aria-pressed": String(chosen === i) });
  return [
    ["h4", words.elsewhere.map(piece)],
    ["p", ask],
    ["div.still-field", options.map(answer)],
    ["p", { "aria-live": "polite" }, (replies[chosen] ?? []).map(piece)],
  ];
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
