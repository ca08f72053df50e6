// What each design comes to at the server: a line each, its verdict in words and its figures.
// data: {title, rest, rows: [{name, run, word, why, figures: [[what, value]], promise: {kind, words: [text]},
// scale}], promise, note, keys}; a `promise` apart is that of each row
// keys: of what was computed ahead (live.js), by which the rows follow the hand; or null
// scale: {limits: [from, to], ends: [low, high], names: [text, text], words} or null: accuracies, of which a line shows
// chance, borderline and learning

import { child, fill } from "./dom.js";
import { following, known, live } from "./live.js";
import { palette } from "./theme.js";

export function render({ data, parentElement }) {
  const box = child(parentElement, "section", "es-verdicts");
  const ahead = (place) => data.keys && known(place, data.keys)?.verdicts;
  if (!live.place || !ahead(live.place)) show(box, data);
  following(box, (place) => {
    const step = ahead(place);
    if (step) show(box, { ...data, ...step });
  });
}

function show(box, data) {
  const colours = palette(box);
  const promise = ({ kind, words }) => ["p.es-verdict-promise", { "data-kind": kind }, words.join("")];
  const alike = new Map(); // designs that differ in name alone share a line
  for (const { name, run, ...rest } of data.rows) {
    const key = JSON.stringify(rest);
    alike.set(key, [...(alike.get(key) ?? []), { name, run, ...rest }]);
  }
  const named = ({ name, run }) => ["strong.es-verdict-name", { style: { color: colours.resolve(`run(${run})`) } }, name];
  const row = (all) => {
    const one = all[0];
    const color = colours.resolve(`run(${one.run})`);
    const figures = one.figures.map(([what, value]) => [
      "span.es-figure",
      [["span.es-figure-what", what], ["strong.es-figure-value", value]],
    ]);
    return [
      "div.es-verdict-row",
      [
        [
          "p.es-verdict-line",
          [["span.es-verdict-names", all.map(named)], ["strong.es-verdict-word", { "data-kind": one.word }, one.word]],
        ],
        scale(one.scale, color, one.why),
        ["div.es-verdict-figures", figures],
        promise(one.promise),
        ["p.es-verdict-why", { hidden: Boolean(one.scale) }, one.why],
      ],
    ];
  };
  fill(box, [
    ["p.es-head", [["strong.es-what", data.title], ["span.es-rest-of-title", data.rest]]],
    ["div.es-verdict-rows", [...alike.values()].map(row)],
    promise(data.promise),
    ["p.es-caption-below", data.note],
  ]);
}

function scale(given, color, why) {
  if (!given) return ["div.es-verdict-scale", { hidden: true }];
  const { limits, ends, names, words } = given;
  const label = `nine of ten runs end at ${words}; ${names.join("; ")}; ${why}`;
  const style = { "--limit-0": `${100 * limits[0]}%`, "--limit-1": `${100 * limits[1]}%` };
  return [
    "div.es-verdict-scale",
    { hidden: false, role: "img", "aria-label": label, title: label, style },
    [["i.es-verdict-at", { style: { left: `${100 * ends[0]}%`, width: `${100 * (ends[1] - ends[0])}%`, background: color } }]],
  ];
}
