// Images as they are: a grey pixel is a square, however large it is shown.

function bytes(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

// Paint {shape: [height, width], pixels} on a canvas; nothing happens if it shows them already.
export function paint(canvas, image) {
  if (canvas.shown === image.pixels) return;
  const [height, width] = image.shape.slice(-2);
  canvas.width = width;
  canvas.height = height;
  const grey = bytes(image.pixels);
  const picture = new ImageData(width, height);
  for (let i = 0; i < width * height; i += 1) {
    picture.data.set([grey[i], grey[i], grey[i], 255], 4 * i);
  }
  canvas.getContext("2d").putImageData(picture, 0, 0);
  canvas.shown = image.pixels;
}
