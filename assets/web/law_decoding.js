// A law's figure as pages/parts/charts/density.py tells it briefly: lines without points, which follow from
// {atoms: [where], mass: [probability]}, or from {ends: [where], closer, top, heights}: a density between the first and
// the last of its ends, in the middle in steps that are `closer` of even ones, and just beside each end; as shares of
// `top` in twelve bits, two letters each

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/";

export function spelled({ data, layout }) {
  return { data: data.map(({ law, ...trace }) => ({ ...trace, ...(law.atoms ? stems(law) : density(law)) })), layout };
}

function stems({ atoms, mass }) {
  return { x: atoms.flatMap((x) => [x, x, x]), y: mass.flatMap((p) => [0, p, NaN]) };
}

function density({ ends, closer, top, heights }) {
  const [first, last] = [ends[0], ends.at(-1)];
  const six = [...heights].map((letter) => LETTERS.indexOf(letter));
  const y = Array.from({ length: six.length / 2 }, (_, i) => (top * (64 * six[2 * i] + six[2 * i + 1])) / 4095);
  const points = y.length - 2 * ends.length;
  const step = 1e-9 * Math.max(1, last - first);
  const grid = Array.from({ length: points }, (_, i) => {
    const t = (2 * i) / (points - 1) - 1;
    return (first + last + (last - first) * (closer * t + (1 - closer) * t ** 3)) / 2;
  });
  return { x: [...grid, ...ends.flatMap((end) => [end - step, end + step])].sort((a, b) => a - b), y };
}
