// One picture under one slider: what an attacker makes of an upload at each budget, and what else that buys.
// data: {steps: [{name, image, label, train, figures: [{name, words, rest, kind}]}], start, slider, original: {image, label}}
// trained: number of the step whose budget is to be trained

import { child, fill, picture, slider } from "./dom.js";

export function render({ data, parentElement, setTriggerValue }) {
  const box = child(parentElement, "div", "es-dissolve");
  box.at ??= data.start;
  const show = () => {
    const step = data.steps[box.at];
    const { image, label } = box.revealed ? data.original : step;
    const move = (to) => {
      box.at = to;
      show();
    };
    const reveal = () => {
      box.revealed = !box.revealed;
      show();
    };
    const ariaValueText = `${step.name}. ${step.figures.map((one) => `${one.name}: ${one.words}`).join(". ")}`;
    const range = slider("es-dissolve-slider", data.steps.length - 1, box.at, move, { ariaLabel: data.slider, ariaValueText });
    const figure = ({ name, words, rest, kind }) => [
      "div.es-dissolve-figure",
      { "data-kind": kind ?? "" },
      [["span.es-dissolve-figure-name", name], ["strong.es-dissolve-figure-words", words], ["span.es-dissolve-figure-rest", rest]],
    ];
    const ends = [data.steps[0], data.steps.at(-1)].map(({ name }) => ["span.es-dissolve-end", name]);
    const words = box.revealed ? "Back to what is made of it" : "Show the image itself";
    fill(box, [
      ["figure.es-dissolve-shot", [picture("es-dissolve-picture", image, label)]],
      [
        "div.es-dissolve-side",
        [
          ["label.es-dissolve-budget", [["strong.es-dissolve-name", step.name], range]],
          ["div.es-dissolve-ends", ends],
          ["div.es-dissolve-figures", step.figures.map(figure)],
        ],
      ],
      ["div.es-dissolve-below", [["button.es-dissolve-link", { type: "button", onclick: reveal }, words]]],
      ["div", [["button.es-dissolve-link", { type: "button", onclick: () => setTriggerValue("trained", box.at) }, step.train]]],
    ]);
  };
  show();
}
