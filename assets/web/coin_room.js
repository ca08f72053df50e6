// A room that answered yes or no through coins: how many would truly say yes, as read from what was sent, at each ε.
// data: {laws: [{name, people, keep, right: [right, tries], values: [of a sent no, of a yes], ends: [[low, high] by how many sent yes]}],
//   said: [how many sent yes by law, or null], start, truth, look, wall, words};
// start: the law of which the room's number is taken;
// truth: of a simulated room, how many would say yes; its coins are tossed here.
// Where nothing was sent with an ε, the band is that of the sent number which the truth, or else the estimate, makes likeliest.

import { child, fill, slider } from "./dom.js";
import { say, tossed } from "./toss.js";

export function render({ data, parentElement }) {
  const box = child(parentElement, "div", "es-coins");
  box.data = data;
  box.at ??= data.start;
  box.classList.toggle("es-coins-wall", Boolean(data.wall));
  if (data.truth !== undefined && !box.sent) toss(box);
  show(box);
}

function toss(box) {
  const { truth, laws } = box.data;
  const { people, keep } = laws[box.at];
  box.sent = Array.from({ length: people }, (_, i) => tossed(i < truth, keep));
}

function show(box) {
  const { laws, words, truth, start, look } = box.data;
  const alone = truth !== undefined;
  const said = alone ? laws.map((_, i) => (i === box.at ? box.sent.filter(Boolean).length : null)) : box.data.said;
  const last = alone ? box.at : start;
  const share = alone ? truth / laws[last].people : clamped(estimate(laws[last], said[last]));
  const rows = laws.map((law, i) => row(box, law, said[i], share));
  const top = alone ? controls(box) : [];
  fill(box, [...top, ["p.es-coins-title", say(words.room, laws[last])], ["div.es-coins-rows", rows], ["p.es-coins-words", look ?? ""]]);
}

function estimate({ people, values: [no, yes] }, said) {
  return (said * yes + (people - said) * no) / people;
}

const clamped = (share) => Math.min(1, Math.max(0, share));

function row({ data }, law, said, share) {
  const { words, truth } = data;
  const { people } = law;
  const sent = said !== null;
  const likely = Math.round(people * (share * law.keep + (1 - share) * (1 - law.keep)));
  const [low, high] = law.ends[sent ? said : likely];
  const percent = (count) => `${(100 * count) / people}%`;
  const marks = [["span.es-coins-band", { style: { left: percent(low), width: percent(high - low) } }]];
  if (sent) marks.push(["span.es-coins-dot", { style: { left: percent(people * clamped(estimate(law, said))) } }]);
  if (truth !== undefined) marks.push(["span.es-coins-truth", { style: { left: percent(truth) }, title: say(words.truth, { truth }) }]);
  const range = low === high ? String(low) : say(words.range, { low, high });
  const found = say(sent ? words.found : words.same, { said, people, range });
  const [right, tries] = law.right;
  return [
    `div.es-coins-row${sent ? ".es-coins-sent" : ""}`,
    [
      ["strong.es-coins-name", `ε ${law.name}`],
      ["div.es-coins-track", { "aria-hidden": "true" }, marks],
      ["span.es-coins-found", found],
      [`span.es-coins-one${right / tries > 0.9 ? ".es-coins-bare" : ""}`, say(words.each, { right, tries })],
    ],
  ];
}

function controls(box) {
  const { laws, truth, words } = box.data;
  const { people } = laws[box.at];
  const move = (to) => {
    box.at = to;
    toss(box);
    show(box);
  };
  const range = slider("es-coins-slider", laws.length - 1, box.at, move, {
    "aria-label": words.budget,
    "aria-valuetext": `ε ${laws[box.at].name}`,
  });
  const person = (sent, i) => [`span.es-coins-person${sent ? ".es-coins-yes" : ""}${i < truth ? ".es-coins-true" : ""}`];
  return [
    ["label.es-coins-budget", [["strong.es-coins-title", `${words.budget}: ${laws[box.at].name}`], range]],
    ["button.es-coins-toss", { type: "button", onclick: () => move(box.at) }, words.toss],
    ["div.es-coins-people", { "aria-hidden": "true" }, box.sent.map(person)],
    ["p.es-coins-words", `${say(words.alone, { people })} ${say(words.truth, { truth })}.`],
  ];
}
