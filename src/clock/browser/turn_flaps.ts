import type { FigureLine } from '../figures/figure_set.ts';
import type { LineWriter } from '../figures/glyph_line.ts';
import { type Flap, flapsOf } from '../figures/layout.ts';

const HALF_TURN_MS = 150;

/** A leaf seen edge-on, without perspective, which would take ten times the work. */
const ON_EDGE = 'scaleY(0)';

/** Turns the cards of a row that changed since `before`; rebuilds a row with a different structure. */
export function turnFlaps(row: Element, text: string, before: string, draw: LineWriter): void {
  const [flaps, old] = [flapsOf(text), flapsOf(before)];
  const keepsShape = flaps.length === old.length && flaps.every(({ kind }, at) => kind === old[at]!.kind);
  if (!keepsShape) row.replaceChildren(...flaps.map(flap => cellOf(flap, draw)));
  else {
    const isStill = row.closest('[data-calm]') !== null;
    for (const [at, { character }] of flaps.entries())
      if (character !== old[at]!.character) turnCard(row.children[at]!, draw(character), isStill);
  }
}

/** Sets text, reusing the text node, which costs less than a new one. */
export function writeText(element: Element, text: string): void {
  if (element.firstChild === null) element.textContent = text;
  else element.firstChild.nodeValue = text;
}

function cellOf(flap: Flap, draw: LineWriter): Element {
  const cell = document.createElement('span');
  cell.className = `sc-${flap.kind}`;
  const line = draw(flap.character);
  if (flap.kind === 'card') cell.append(halfOf(line), halfOf(line));
  return cell;
}

const SVG = 'http://www.w3.org/2000/svg';

function halfOf(line: FigureLine): HTMLElement {
  const half = document.createElement('b');
  const picture = document.createElementNS(SVG, 'svg');
  picture.append(document.createElementNS(SVG, 'path'));
  half.append(picture);
  writeHalf(half, line);
  return half;
}

function writeHalf(half: Element, { viewBox, tail }: FigureLine): void {
  const picture = half.firstElementChild!;
  if (picture.getAttribute('viewBox') !== viewBox) picture.setAttribute('viewBox', viewBox);
  picture.firstElementChild!.setAttribute('d', tail);
}

/**
 * Folds the old upper half down over the new one, then the new lower half over the old one. A card at rest has two
 * children, its upper and its lower half.
 */
function turnCard(card: Element, line: FigureLine, isStill: boolean): void {
  const [upper, lower] = card.children as unknown as [HTMLElement, HTMLElement];
  while (card.children.length > 2) card.lastChild!.remove();
  if (isStill) {
    for (const half of [upper, lower]) writeHalf(half, line);
    return;
  }
  const leaf = upper.cloneNode(true) as HTMLElement;
  writeHalf(upper, line);
  const back = halfOf(line);
  card.append(leaf, back);
  fold(leaf, ['none', ON_EDGE], 0, 'ease-in');
  fold(back, [ON_EDGE, 'none'], HALF_TURN_MS, 'ease-out').onfinish = () => {
    // The next turn may have removed it.
    if (!back.isConnected) return;
    writeHalf(lower, line);
    leaf.remove();
    back.remove();
  };
}

function fold(half: HTMLElement, transform: string[], delay: number, easing: string): Animation {
  return half.animate({ transform }, { duration: HALF_TURN_MS, delay, easing, fill: 'both' });
}
