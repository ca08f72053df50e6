// One picture under one slider: what an attacker makes of an upload at each budget, and what else that buys.
// data: {steps: [{name, image, label, figures: [{name, words, rest, kind}]}], start, slider, original: {image, label}}

import { child, element, resize, text } from "./dom.js";
import { paint } from "./pixels.js";

export function render({ data, parentElement }) {
  const box = child(parentElement, "div", "es-dissolve");
  const canvas = child(child(box, "figure", "es-dissolve-shot"), "canvas", "es-dissolve-picture");
  const side = child(box, "div", "es-dissolve-side");
  const label = child(side, "label", "es-dissolve-budget");
  const name = child(label, "strong", "es-dissolve-name");
  const slider = child(label, "input", "es-dissolve-slider");
  if (slider.type !== "range") {
    slider.type = "range";
    slider.min = 0;
    slider.value = slider.max = data.steps.length - 1;
    slider.value = data.start;
  }
  slider.ariaLabel = data.slider;
  const ends = child(side, "div", "es-dissolve-ends");
  resize(ends, 2, () => element("span", "es-dissolve-end")).forEach((end, i) => {
    text(end, data.steps.at(-i).name);
  });
  const figures = child(side, "div", "es-dissolve-figures");
  const show = () => {
    const step = data.steps[slider.value];
    text(name, step.name);
    slider.ariaValueText = `${step.name}. ${step.figures.map((one) => `${one.name}: ${one.words}`).join(". ")}`;
    paint(canvas, box.revealed ? data.original.image : step.image);
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", box.revealed ? data.original.label : step.label);
    resize(figures, step.figures.length, () => element("div", "es-dissolve-figure")).forEach((node, i) => {
      const one = step.figures[i];
      node.dataset.kind = one.kind ?? "";
      text(child(node, "span", "es-dissolve-figure-name"), one.name);
      text(child(node, "strong", "es-dissolve-figure-words"), one.words);
      text(child(node, "span", "es-dissolve-figure-rest"), one.rest);
    });
  };
  const reveal = child(child(box, "div", "es-dissolve-below"), "button", "es-dissolve-reveal");
  reveal.type = "button";
  const worded = () => text(reveal, box.revealed ? "Back to what is made of it" : "Show the image itself");
  reveal.onclick = () => {
    box.revealed = !box.revealed;
    worded();
    show();
  };
  slider.oninput = show;
  worded();
  show();
}
