// Images as they are: a pixel is a square, however large it is shown.

// Paint {shape, pixels} on a canvas, or nothing for none; nothing happens if it shows them already. The shape is
// [height, width] in grey, or [3, height, width]: red, green and blue, one plane after another.
export function paint(canvas, image) {
  if (canvas.shown === (image?.pixels ?? null)) return;
  canvas.shown = image?.pixels ?? null;
  [canvas.height, canvas.width] = image?.shape.slice(-2) ?? [1, 1];
  if (!image) return;
  const { width, height } = canvas;
  const values = Uint8Array.from(atob(image.pixels), (character) => character.charCodeAt(0));
  const plane = image.shape.length === 3 && image.shape[0] === 3 ? width * height : 0;
  const picture = new ImageData(width, height);
  for (let i = 0; i < width * height; i += 1) {
    picture.data.set([values[i], values[i + plane], values[i + 2 * plane], 255], 4 * i);
  }
  canvas.getContext("2d").putImageData(picture, 0, 0);
}
