/** Colours as `#rrggbb`. */
export interface Palette {
  readonly ground?: string;
  readonly ink?: string;
  readonly accent?: string;
}

/** Accents by preference: red on light grounds, coral on dark ones, amber on red ones. */
const ACCENTS = ['#d9001b', '#ff6a4d', '#ffd166'];
/** The minimum contrast of ink, for text of any size (WCAG 2.2, 1.4.3). Shades of it on shades of the ground have `MIN_CONTRAST`. */
export const MIN_INK_CONTRAST = 4.5;
/** The minimum contrast of graphics and large text (WCAG 2.2, 1.4.11 and 1.4.3). */
export const MIN_CONTRAST = 3;
/** The contrast of a derived accent, which shades of the ground reduce. */
const ACCENT_CONTRAST = 4;
/** The share of the original colour in a derived one. */
const TINT = 0.08;

/**
 * Completes the given colours, so that no default of a style lacks contrast with them: a ground without ink gets an ink of its
 * own hue, and vice versa, and both get an accent that stands out. An accent alone changes nothing else.
 */
export function completePalette(chosen: Palette): Palette {
  if (chosen.ground === undefined && chosen.ink === undefined) return chosen;
  const ground = chosen.ground ?? oppositeOf(chosen.ink!);
  const ink = chosen.ink ?? oppositeOf(ground);
  const accent =
    chosen.accent ?? ACCENTS.find(colour => contrastOf(colour, ground) >= ACCENT_CONTRAST) ?? ink;
  return { ground, ink, accent };
}

/** The contrast ratio of two colours, 1 to 21 (WCAG 2.2). */
export function contrastOf(one: string, other: string): number {
  const [dark, light] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Black or white, whichever has the higher contrast with a colour, tinted with it if that leaves enough. */
function oppositeOf(colour: string): string {
  const end = contrastOf(colour, '#000000') > contrastOf(colour, '#ffffff') ? 0 : 255;
  const mixed = channelsOf(colour).map(channel => Math.round(channel * TINT + end * (1 - TINT)));
  const tinted = hexOf(mixed);
  return contrastOf(tinted, colour) >= MIN_INK_CONTRAST ? tinted : hexOf([end, end, end]);
}

function hexOf(channels: readonly number[]): string {
  return `#${channels.map(channel => channel.toString(16).padStart(2, '0')).join('')}`;
}

function luminanceOf(colour: string): number {
  const [red, green, blue] = channelsOf(colour).map(channel => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Red, green and blue of `#rrggbb`, 0 to 255. */
function channelsOf(colour: string): number[] {
  return [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16));
}
