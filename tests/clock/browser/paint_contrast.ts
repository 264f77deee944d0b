import { contrastOf } from '../../../src/clock/palette.ts';

/** Red, green, blue and alpha, all from 0 to 1. */
type Colour = readonly [red: number, green: number, blue: number, alpha: number];

const WHITE: Colour = [1, 1, 1, 1];
const BLACK: Colour = [0, 0, 0, 1];
const COLOUR = /(rgba?|lch)\([^)]*\)|color\(srgb [^)]*\)/g;

/**
 * The minimum contrast ratio (WCAG 2.2) of each readable part of a face with its background colours, by computed styles: lines
 * of letters and digits, and hands, which are as visible as their most visible mark.
 */
export function paintContrastsOf(face: Element): Record<string, number> {
  const contrasts: Record<string, number> = {};
  for (const line of face.querySelectorAll('.sc-line, .sc-figures, .sc-flaps, .sc-type, .sc-place')) {
    if (line.closest('.sc-week') !== null || line.querySelector('path[d]:not([d=""]), text') === null)
      continue;
    const name = line.getAttribute('data-part') ?? line.getAttribute('class')!;
    contrasts[name] = Math.min(contrasts[name] ?? 21, leastOf(inksOf(line), groundsOf(line, face)));
  }
  for (const hand of ['hour', 'minute', 'second']) {
    const marks = [...face.querySelectorAll(`[data-part="${hand}"] *`)];
    const visible = marks.map(mark => leastOf(inksOf(mark), groundsOf(mark, face)));
    if (marks.length > 0) contrasts[hand] = Math.max(...visible);
  }
  return contrasts;
}

function leastOf(inks: readonly Colour[], grounds: readonly Colour[]): number {
  if (inks.length === 0 || grounds.length === 0) return 0;
  return Math.min(...inks.flatMap(ink => grounds.map(ground => ratioOf(over(ink, ground), ground))));
}

/** The colours of an element: of its text, its shape, or all of a gradient. */
function inksOf(element: Element): Colour[] {
  const painted = element.matches('.sc-strokes') ? element.querySelector(':scope > g')! : element;
  const { stroke, fill, color } = getComputedStyle(painted);
  const isShape = element instanceof SVGElement && !element.matches('.sc-figures:not(.sc-strokes)');
  const paint = !isShape ? color : stroke !== 'none' ? stroke : fill;
  return coloursOf(paint, element.closest('.service-clock')!).map(colour =>
    faded(colour, opacityOf(element)),
  );
}

function coloursOf(paint: string, face: Element): Colour[] {
  const id = /url\("?#([^")]*)/.exec(paint)?.[1];
  if (id === undefined) return (paint.match(COLOUR) ?? []).map(parsed);
  const stops = [...face.querySelectorAll(`[id="${id}"] stop`)];
  return stops.map(stop => parsed(getComputedStyle(stop).stopColor));
}

function opacityOf(element: Element): number {
  let opacity = 1;
  for (let at: Element | null = element; at !== null; at = at.parentElement)
    opacity *= Number(getComputedStyle(at).opacity);
  return opacity;
}

/** All possible background colours of an element. */
function groundsOf(element: Element, face: Element): Colour[] {
  const layers: Colour[][] = [];
  for (let at: Element | null = element; at !== null && face.contains(at); at = at.parentElement) {
    const { backgroundColor, backgroundImage } = getComputedStyle(at);
    // The first layer is on top.
    for (const layer of backgroundImage.split(/,\s*(?=[a-z-]*gradient)/))
      layers.push((layer.match(COLOUR) ?? []).map(parsed));
    layers.push([parsed(backgroundColor)]);
  }
  if (face.matches('.sc-analog')) layers.push(dialOf(face, element));
  let grounds: Colour[] = [WHITE, BLACK];
  for (const layer of layers.reverse()) {
    const isOpaque = layer.length > 0 && layer.every(([, , , alpha]) => alpha === 1);
    const next = layer.flatMap(colour => (isOpaque ? [colour] : grounds.map(ground => over(colour, ground))));
    if (next.length > 0) grounds = distinct(next);
  }
  return grounds;
}

/** The colours of the innermost filled circle or square of a dial around a line or hand. */
function dialOf(face: Element, element: Element): Colour[] {
  const { left, right } = element.getBoundingClientRect();
  const shapes = [...face.querySelectorAll('.sc-dial:first-child > :is(circle, rect)')].filter(shape => {
    const box = shape.getBoundingClientRect();
    return getComputedStyle(shape).fill !== 'none' && box.left <= left && box.right >= right;
  });
  return coloursOf(getComputedStyle(shapes.at(-1)!).fill, face);
}

function parsed(text: string): Colour {
  // Faces have no other such elements.
  if (text.startsWith('lch')) return text.startsWith('lch(0 ') ? BLACK : WHITE;
  const numbers = text.match(/-?[\d.]+(e-?\d+)?/g)!.map(Number);
  const scale = text.startsWith('color') ? 1 : 255;
  const [red, green, blue] = numbers.slice(0, 3).map(channel => channel / scale) as [number, number, number];
  return [red, green, blue, numbers[3] ?? 1];
}

function faded([red, green, blue, alpha]: Colour, opacity: number): Colour {
  return [red, green, blue, alpha * opacity];
}

function over(upper: Colour, lower: Colour): Colour {
  const alpha = upper[3];
  const [red, green, blue] = [0, 1, 2].map(at => upper[at]! * alpha + lower[at]! * (1 - alpha)) as [
    number,
    number,
    number,
  ];
  return [red, green, blue, 1];
}

function distinct(colours: readonly Colour[]): Colour[] {
  return [
    ...new Map(colours.map(colour => [colour.map(channel => channel.toFixed(3)).join(), colour])).values(),
  ];
}

function ratioOf(one: Colour, other: Colour): number {
  return contrastOf(hexOf(one), hexOf(other));
}

function hexOf(colour: Colour): string {
  const channels = colour.slice(0, 3).map(channel =>
    Math.round(channel * 255)
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${channels.join('')}`;
}
