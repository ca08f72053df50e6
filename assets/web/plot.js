// One way to draw: Plotly.react on a node that stays, so that live data neither flickers nor resets a zoom.

import { coloured, palette } from "./theme.js";

let loading;

function plotly() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL("../plotly/plotly-cartesian.min.js", import.meta.url);
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      loading = undefined; // the next update tries again
      reject(new Error("the chart library could not be loaded"));
    };
    document.head.append(script);
  });
  return loading;
}

plotly().catch(() => {}); // begin with the download now; whoever draws will hear of a failure

const CONFIG = { displaylogo: false, responsive: true, displayModeBar: false };

// Draw a figure (plotly JSON as an object) into an element; updates of one element are drawn in order.
export function draw(element, figure, height, label) {
  element.style.minHeight = `${height}px`;
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", label);
  element.pendingFigure = figure;
  element.drawing = (element.drawing ?? Promise.resolve()).then(async () => {
    const next = element.pendingFigure;
    if (!next) return;
    element.pendingFigure = undefined;
    const Plotly = await plotly();
    if (!element.isConnected) return;
    const { data, layout } = coloured(next, palette(element));
    await Plotly.react(element, data, { ...layout, height, autosize: true }, CONFIG);
  });
  element.drawing.catch((error) => {
    element.textContent = error.message;
    element.drawing = undefined;
  });
}

export function erase(element) {
  if (window.Plotly && element.data) window.Plotly.purge(element);
}
