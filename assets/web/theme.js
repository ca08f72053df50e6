// Colours come from Streamlit's theme, so that charts follow light and dark without being told.
// A figure names them as "var(--st-…)", or as "run(0)", "run(1)", … for the colours of the runs.

const FRESH = 300; // milliseconds: charts that are drawn together ask once, unless the scheme changes under them
let last = { at: -FRESH };

export function palette(element) {
  const style = getComputedStyle(element);
  const ground = style.getPropertyValue("--st-background-color");
  if (ground === last.ground && performance.now() - last.at < FRESH) return last.colours;
  last = { at: performance.now(), ground, colours: asked(style) };
  return last.colours;
}

function asked(style) {
  const runs = style.getPropertyValue("--st-chart-categorical-colors").split(",").map((c) => c.trim());
  const known = new Map();
  const value = (name) => known.get(name) ?? known.set(name, style.getPropertyValue(name).trim()).get(name);
  const resolve = (text) =>
    text
      .replace(/var\((--[\w-]+)\)/g, (_, name) => value(name))
      .replace(/run\((\d+)\)/g, (_, i) => shade(runs[i % runs.length], value("--st-text-color"), Math.floor(i / runs.length)));
  return { resolve, key: style.getPropertyValue("--st-background-color") + runs.join() };
}

// Runs of one hue: each a step further towards the colour of the text, which the ground is far from.
function shade(colour, ink, step) {
  if (!step) return colour;
  const share = 1 - 0.55 ** step;
  const [a, b] = [colour, ink].map(channels);
  return "#" + a.map((one, i) => Math.round(one + share * (b[i] - one)).toString(16).padStart(2, "0")).join("");
}

function channels(hex) {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

// Replace every colour name inside a figure; "run(1)/0.2" is a colour at an opacity.
export function coloured(value, colours) {
  if (typeof value === "string") {
    if (!/var\(--|run\(/.test(value)) return value;
    const [, name, opacity] = value.match(/^(.*?)(?:\/([\d.]+))?$/);
    const colour = colours.resolve(name);
    return opacity ? `rgba(${channels(colour).join(", ")}, ${Number(opacity)})` : colour;
  }
  if (Array.isArray(value)) return value.map((item) => coloured(item, colours));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, coloured(v, colours)]));
  }
  return value;
}
