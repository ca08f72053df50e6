// A message of one client as a picture, under a switch of trust and a slider over budgets, and what each buys.
// data: {trusts: [{name, steps: [{name, image, label, figures: [{name, words, rest, kind}]}]}], trust, start, covers,
//   whom, train, shot, original: {image, label}}
// trained: number of the chosen step among the steps of all trusts, which is to be trained

import { child, fill, picture, slider } from "./dom.js";

export function render({ data, parentElement, setTriggerValue }) {
  const box = child(parentElement, "div", "es-dissolve");
  box.at ??= data.start;
  box.trust ??= data.trust;
  const show = () => {
    const { steps } = data.trusts[box.trust];
    const step = steps[box.at];
    const { image, label } = box.revealed ? data.original : step;
    const set = (change) => {
      Object.assign(box, change);
      show();
    };
    const ariaValueText = `${step.name}. ${step.figures.map((one) => `${one.name}: ${one.words}`).join(". ")}`;
    const range = slider("es-dissolve-slider", steps.length - 1, box.at, (at) => set({ at }), { ariaLabel: `Budget ε ${data.covers}`, ariaValueText });
    const trust = ({ name }, i) => [
      "label.es-dissolve-trust",
      [["input", { type: "radio", name: "es-dissolve-trust", checked: i === box.trust, onchange: () => set({ trust: i }) }], ["span", name]],
    ];
    const figure = ({ name, words, rest, kind }) => [
      "div.es-dissolve-figure",
      { "data-kind": kind ?? "" },
      [["span.es-dissolve-figure-name", name], ["strong.es-dissolve-figure-words", words], ["span.es-dissolve-figure-rest", rest]],
    ];
    const ends = [steps[0], steps.at(-1)].map(({ figures }) => ["span.es-dissolve-end", figures[1].words]);
    const words = box.revealed ? "Back to the message" : "Show the image itself";
    const link = (words, onclick) => ["button.es-dissolve-link", { type: "button", onclick }, words];
    const number = box.trust * steps.length + box.at;
    fill(box, [
      ["figure.es-dissolve-shot", [picture("es-dissolve-picture", image, label), ["figcaption.es-dissolve-end", box.revealed ? label : data.shot]]],
      [
        "div.es-dissolve-side",
        [
          ["fieldset.es-dissolve-trusts", [["legend", data.whom], ...data.trusts.map(trust)]],
          ["label.es-dissolve-budget", [["strong.es-dissolve-name", step.name], ["span.es-dissolve-end", data.covers], range]],
          ["div.es-dissolve-ends", ends],
          ["div.es-dissolve-figures", step.figures.map(figure)],
        ],
      ],
      ["div.es-dissolve-below", [link(words, () => set({ revealed: !box.revealed }))]],
      ["div", [link(data.train, () => setTriggerValue("trained", number))]],
    ]);
  };
  show();
}
