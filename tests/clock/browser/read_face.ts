import type { ClockConfig } from '../../../src/clock/clock_config.ts';
import { type Glyphs, moved } from '../../../src/clock/figures/glyph_line.ts';
import type { ReadTime } from '../driver.ts';

/** Reads a face from the geometry on the screen: the directions of hands, the length of a bar, and the glyphs of a line in order. */
export function readFace(face: Element): ReadTime {
  if (face.querySelector('[data-part="hour"]') !== null) return readHands(face);
  const config = face.parentElement!.nextElementSibling!.textContent!;
  const glyphs = Object.values((JSON.parse(config) as ClockConfig).glyphs ?? {});
  const figures = [...face.querySelectorAll('.sc-time')].map(line => readLine(line, glyphs)).join(':');
  const [hour = -1, minute = -1, second = readBar(face)] = figures.split(':').map(Number);
  return { hour, minute, second };
}

function readHands(face: Element): ReadTime {
  // On station clocks the second hand takes 58.5 seconds per revolution, and the minute hand jumps.
  const isStation = face.matches('[data-style="analog-station"]');
  const second = Math.round(angleOf(face, 'second') / (isStation ? 360 / 58.5 : 6)) % 60;
  const minute = Math.round(angleOf(face, 'minute') / 6 - (isStation ? 0 : second / 60) + 60) % 60;
  const hour = Math.round((angleOf(face, 'hour') - minute / 2) / 30 + 12) % 12;
  return { hour, minute, second };
}

/** The direction of a hand on the screen, in degrees clockwise from the top. */
function angleOf(face: Element, name: string): number {
  const hand = face.querySelector<SVGGElement>(`[data-part="${name}"]`)!;
  const matrix = hand.getScreenCTM()!;
  const degrees = (Math.atan2(-matrix.c, matrix.d) / Math.PI) * 180;
  return (degrees + 360) % 360;
}

/** The seconds of a bar that is full at the end of the minute. */
function readBar(face: Element): number {
  const bar = face.querySelector('.sc-bar');
  if (bar === null) return -1;
  const room = bar.parentElement!.getBoundingClientRect();
  return Math.round((bar.getBoundingClientRect().width / room.width) * 60) - 1;
}

function readLine(line: Element, glyphs: readonly Glyphs[]): string {
  if (line.matches('.sc-flaps')) return readFlaps(line, glyphs);
  const text = line.matches('.sc-figures')
    ? readPaths(line.querySelector('.sc-lit')!, glyphs)
    : line.textContent!;
  const { width, height } = line.getBoundingClientRect();
  return width > 0 && height > 0 && getComputedStyle(line).visibility === 'visible' ? text : '';
}

function readFlaps(row: Element, glyphs: readonly Glyphs[]): string {
  return [...row.children]
    .map(cell => {
      const [upper, lower] = cell.children;
      if (upper === undefined || lower === undefined) return ':';
      const [above, below] = [upper.getBoundingClientRect(), lower.getBoundingClientRect()];
      const adjoin = Math.abs(above.bottom - below.top) < 1 && Math.abs(above.left - below.left) < 1;
      const [one, other] = [upper, lower].map(half => readPaths(half, glyphs));
      return adjoin && one === other ? one : '?';
    })
    .join('');
}

/** The digits and colons whose shapes, one after another, are the visible paths of an element, in any of its clock's sets. */
function readPaths(element: Element, glyphs: readonly Glyphs[]): string {
  const paths = [...element.querySelectorAll('path')].map(path => path.getAttribute('d')).join('');
  return glyphs.map(({ shapes }) => readShapes(paths, shapes)).find(text => text !== undefined) ?? '?';
}

function readShapes(paths: string, shapes: Glyphs['shapes']): string | undefined {
  let [text, rest, x] = ['', paths, 0];
  while (rest !== '') {
    const found = [...'0123456789:']
      .map(character => ({ character, path: moved(/M.*|$/.exec(shapes[character] ?? '')![0], x, 0) }))
      .filter(({ path }) => path !== '' && rest.startsWith(path))
      // With seven segments, the path of a three begins like that of a seven.
      .sort((one, other) => other.path.length - one.path.length)[0];
    if (found === undefined) return undefined;
    text += found.character;
    rest = rest.slice(found.path.length);
    x += Number.parseFloat(shapes[found.character]!);
  }
  return text;
}
