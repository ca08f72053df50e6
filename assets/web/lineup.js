// Ten images, one of which an upload was made of: the one that the attacker picks is ringed.
// data: {images: [image], names: [text], own, mine, reads, slider, start, steps: [{name, words, kind, picked, read, label}]};
// own: the number of the right one, called `mine`; read: what the attacker makes of the upload, called `reads`.
// One step has no slider, no name, and needs no names.

import { child, element, resize, text } from "./dom.js";
import { paint } from "./pixels.js";

export function render({ data, parentElement }) {
  const box = child(parentElement, "div", "es-lineup");
  const slider = child(child(box, "label", "es-lineup-budget"), "input", "es-lineup-slider");
  slider.parentElement.hidden = data.steps.length < 2;
  if (slider.type !== "range") {
    slider.type = "range";
    slider.min = 0;
    slider.value = slider.max = data.steps.length - 1;
    slider.value = data.start ?? 0;
  }
  slider.ariaLabel = data.slider ?? "";
  const name = child(slider.parentElement, "strong", "es-lineup-name", slider);
  const row = child(box, "div", "es-lineup-row");
  const words = child(box, "p", "es-lineup-words");
  const pair = child(box, "div", "es-lineup-pair");
  const show = () => {
    const step = data.steps[slider.value] ?? data.steps[0];
    text(name, step.name);
    slider.ariaValueText = `${step.name}: ${step.words}`;
    text(words, step.words).dataset.kind = step.kind;
    resize(row, data.images.length, shot).forEach((one, i) => {
      const mine = i === data.own;
      one.classList.toggle("es-picked", i === step.picked);
      one.classList.toggle("es-own", mine);
      fill(one, data.images[i], data.names?.[i] ?? `image ${i + 1} of ten`, [mine && data.mine, i === step.picked && "picked"].filter(Boolean).join(", "));
    });
    const [own, read] = resize(pair, 2, shot);
    fill(own, data.images[data.own], data.mine, data.mine);
    fill(read, step.read, step.label, data.reads);
  };
  slider.oninput = show;
  show();
}

function shot() {
  const one = element("figure", "es-lineup-shot");
  one.append(element("canvas", "es-lineup-picture"), element("figcaption", "es-lineup-under"));
  return one;
}

function fill(one, image, label, under) {
  const [canvas, caption] = one.children;
  paint(canvas, image);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", label);
  text(caption, under);
}
