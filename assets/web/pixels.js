// Images as they are: a pixel is a square, however large it is shown.

function bytes(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

// Paint {shape, pixels} on a canvas; nothing happens if it shows them already. The shape is
// [height, width] in grey, or [3, height, width]: red, green and blue, one plane after another.
export function paint(canvas, image) {
  if (canvas.shown === image.pixels) return;
  const [height, width] = image.shape.slice(-2);
  canvas.width = width;
  canvas.height = height;
  const values = bytes(image.pixels);
  const plane = image.shape.length === 3 && image.shape[0] === 3 ? width * height : 0;
  const picture = new ImageData(width, height);
  for (let i = 0; i < width * height; i += 1) {
    picture.data.set([values[i], values[i + plane], values[i + 2 * plane], 255], 4 * i);
  }
  canvas.getContext("2d").putImageData(picture, 0, 0);
  canvas.shown = image.pixels;
}
