/** The minimum share of a colour to be ink or background: edges are between them. */
const LEAST_SHARE = 0.005;
const LEVELS = 64;

/** The contrast ratio (WCAG 2.2) between the most common brightness of a picture and the one that differs most from it. */
export async function contrastOf(pngInBase64: string): Promise<number> {
  const image = new Image();
  image.src = `data:image/png;base64,${pngInBase64}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext('2d')!;
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  const counts = new Array<number>(LEVELS).fill(0);
  for (let at = 0; at < data.length; at += 4) {
    const luminance =
      0.2126 * linear(data[at]!) + 0.7152 * linear(data[at + 1]!) + 0.0722 * linear(data[at + 2]!);
    // Levels of equal contrast, from black to white.
    const level = Math.log((luminance + 0.05) / 0.05) / Math.log(21);
    counts[Math.min(LEVELS - 1, Math.floor(level * LEVELS))]!++;
  }
  const ground = counts.indexOf(Math.max(...counts));
  const common = counts.flatMap((count, level) => (count >= (LEAST_SHARE * data.length) / 4 ? [level] : []));
  const furthest = Math.max(...common.map(level => Math.abs(level - ground)));
  return 21 ** (furthest / LEVELS);
}

/** An sRGB channel as linear light. */
function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
