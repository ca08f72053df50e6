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
  enqueue(element, async () => {
    const next = element.pendingFigure;
    if (!next) return;
    element.pendingFigure = undefined;
    const Plotly = await plotly();
    if (!element.isConnected) return;
    const { data, layout } = coloured(next, palette(element));
    const { shapes, ...rest } = { ...fitting(layout, element.clientWidth), height, autosize: true };
    const [marks, all] = [JSON.stringify(shapes), JSON.stringify([data, rest])];
    const [marksBefore, allBefore] = element.drawnBefore ?? [];
    try {
      if (all !== allBefore) await Plotly.react(element, data, { ...rest, shapes }, CONFIG);
      else if (marks !== marksBefore) await Plotly.relayout(element, { shapes }); // a line moved, nothing else
    } catch {
      Plotly.purge(element); // whatever state it was in: start afresh
      element.textContent = "";
      await Plotly.newPlot(element, data, { ...rest, shapes }, CONFIG);
    }
    element.drawnBefore = [marks, all];
    follow(element, Plotly);
  });
}

// One thing at a time on one chart: drawing and fitting to a new width must not meet half way.
function enqueue(element, task) {
  element.drawing = (element.drawing ?? Promise.resolve()).then(task).catch((error) => {
    element.drawnBefore = undefined;
    element.textContent = error.message;
  });
}

// A chart keeps to its column, which may become narrower or wider without the window changing.
function follow(element, Plotly) {
  element.watcher ??= new ResizeObserver(() => {
    if (element.clientWidth === element.widthBefore) return;
    element.widthBefore = element.clientWidth;
    enqueue(element, async () => {
      if (element.isConnected && element.data && element.clientWidth > 0) await Plotly.Plots.resize(element);
    });
  });
  element.watcher.observe(element);
}

// Where labels beside the lines would leave the plot no room, a legend below takes their place.
function fitting(layout, width) {
  const right = layout.margin?.r ?? 0;
  if (right < 0.4 * width) return layout;
  const beside = (item) => item.xref === "paper" && (item.x > 1 || item.x1 > 1);
  return {
    ...layout,
    margin: { ...layout.margin, r: 8 },
    annotations: (layout.annotations ?? []).filter((item) => !beside(item)),
    shapes: (layout.shapes ?? []).filter((item) => !beside(item)),
    showlegend: true,
    legend: { orientation: "h", y: -0.16, yanchor: "top", font: { size: 11 } },
  };
}

export function erase(element) {
  if (window.Plotly && element.data) window.Plotly.purge(element);
}
