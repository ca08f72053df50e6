// Ten images, one of which an upload was made of: the one that the attacker picks is ringed.
// data: {images: [image], names: [text], own, mine, reads, slider, start, steps: [{name, words, kind, picked, read, label}]};
// own: the number of the right one, called `mine`, the picked one `picks`; read: what the attacker makes of the upload, called `reads`.
// One step has no slider, no name, and needs no names.

import { child, fill, picture, slider } from "./dom.js";

export function render({ data, parentElement }) {
  const box = child(parentElement, "div", "es-lineup");
  box.at ??= data.start ?? 0;
  const show = () => {
    const step = data.steps[box.at] ?? data.steps[0];
    const move = (to) => {
      box.at = to;
      show();
    };
    const ariaValueText = `${step.name}: ${step.words}`;
    const range = slider("es-lineup-slider", data.steps.length - 1, box.at, move, { ariaLabel: data.slider ?? "", ariaValueText });
    const candidate = (image, i) => {
      const [mine, picked] = [i === data.own, i === step.picked];
      const kinds = `${picked ? ".es-picked" : ""}${mine ? ".es-own" : ""}`;
      const under = [mine && data.mine, picked && data.picks].filter(Boolean).join(", ");
      return shot(image, data.names?.[i] ?? `image ${i + 1} of ten`, under, kinds);
    };
    const pair = [shot(data.images[data.own], data.mine, data.mine), shot(step.read, step.label, data.reads)];
    fill(box, [
      ["label.es-lineup-budget", { hidden: data.steps.length < 2 }, [["strong.es-lineup-name", step.name ?? ""], range]],
      ["div.es-lineup-row", data.images.map(candidate)],
      ["p.es-lineup-words", { "data-kind": step.kind }, step.words],
      ["div.es-lineup-pair", pair],
    ]);
  };
  show();
}

function shot(image, label, under, kinds = "") {
  return [`figure.es-lineup-shot${kinds}`, [picture("es-lineup-picture", image, label), ["figcaption.es-lineup-under", under]]];
}
