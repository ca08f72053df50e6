// The table of runs: a row a run, ticked by its box, sorted by a column's head, opened by its name.
// data: {heads: [{text, by, sorted}], rows: [{id, kind, href, name, stands, compared, note, curves: [{tint, values}],
// accuracy, which, epsilon: [figure, word], picked: [figure, word], when}], ticked: [id]}
// To Python: "ticked", all ids; "sorted", by what; "opened", [kind, id].

import { child, fill } from "./dom.js";
import { palette } from "./theme.js";

const WIDTH = 90;
const HEIGHT = 28;

export function render({ data, parentElement, setTriggerValue }) {
  const box = child(parentElement, "div", "es-runs-room");
  if (!(performance.now() < box.until)) box.ticked = data.ticked; // what is drawn may be older than the last tick
  const colours = palette(box);
  const head = ({ text, by, sorted }) => {
    const button = ["button.es-runs-head", { type: "button", onclick: () => setTriggerValue("sorted", by) }, text];
    return ["th", { scope: "col", "aria-sort": sorted || null }, by ? [button] : text];
  };
  const tick = (id, ticked) => {
    const others = box.ticked.filter((one) => one !== id);
    box.ticked = ticked ? [...others, id] : others;
    box.until = performance.now() + 1000;
    setTriggerValue("ticked", box.ticked); // a state that is as it was would not be heard
  };
  const row = (one) => {
    const onchange = ({ target }) => tick(one.id, target.checked);
    const checkbox = { type: "checkbox", checked: box.ticked.includes(one.id), "aria-label": `Tick ${one.name}`, onchange };
    const onclick = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || !one.href) return;
      event.preventDefault();
      setTriggerValue("opened", [one.kind, one.id]);
    };
    const about = [["span.es-runs-stands", one.stands], ["span.es-runs-compared", one.compared]];
    const name = [
      ["a", { href: one.href || null, onclick }, one.name],
      ["span.es-runs-about", { title: one.compared }, about],
      ["span.es-runs-note", one.note],
    ];
    const best = one.which ? `best: ${one.which}` : "";
    const figures = [[one.accuracy, best], one.epsilon, one.picked, [one.when, ""]].map(([figure, word]) => [
      "td",
      [["span.es-runs-figure", figure], ["span.es-runs-word", word]],
    ]);
    const ticks = ["td", [["label", [["input", checkbox]]]]]; // all of the cell is the target of a finger
    return ["tr", [ticks, ["th", { scope: "row" }, name], ["td", [drawn(one, colours)]], ...figures]];
  };
  // an empty head has no name for axe, not even with a label
  const heads = [["th", { scope: "col", "aria-label": "Ticked" }, "✓"], ...data.heads.map(head)];
  fill(box, [["table.es-runs", [["thead", [["tr", heads]]], ["tbody", data.rows.map(row)]]]]);
}

// From 0 to 100 % on every row, so that rows may be compared by eye.
function drawn({ curves, accuracy }, colours) {
  const lines = curves.map(({ tint, values }) => {
    const points = values.map((value, k) => `${((WIDTH * k) / (values.length - 1)).toFixed(1)},${(1 + (HEIGHT - 2) * (1 - value)).toFixed(1)}`);
    return ["polyline", { points: points.join(" "), stroke: colours.resolve(`run(${tint})`) }];
  });
  const label = curves.length ? `Accuracy by round, ending at ${accuracy}` : "No curve";
  return ["svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "img", "aria-label": label }, lines];
}
