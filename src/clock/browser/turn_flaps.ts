import { type Flap, flapsOf } from '../figures/layout.ts';

/** How long each half of a turn takes. */
const HALF_TURN_MS = 150;

/** A leaf seen from its edge: at this size there is no more perspective than that, and it is a tenth of the work. */
const ON_EDGE = 'scaleY(0)';

/** Turns those cards of a row that showed something else `before`; a row of another shape is made anew. */
export function turnFlaps(row: Element, text: string, before: string): void {
  const [flaps, old] = [flapsOf(text), flapsOf(before)];
  const keepsShape = flaps.length === old.length && flaps.every(({ kind }, at) => kind === old[at]!.kind);
  if (!keepsShape) row.replaceChildren(...flaps.map(cellOf));
  else {
    const isStill = row.closest('[data-calm]') !== null;
    for (const [at, { character }] of flaps.entries())
      if (character !== old[at]!.character) turnCard(row.children[at]!, character, isStill);
  }
}

/** A text node that stays costs less than a new one. */
export function writeText(element: Element, text: string): void {
  if (element.firstChild === null) element.textContent = text;
  else element.firstChild.nodeValue = text;
}

function cellOf(flap: Flap): Element {
  const cell = document.createElement('span');
  cell.className = `sc-${flap.kind}`;
  if (flap.kind === 'card') cell.append(halfOf(flap.character), halfOf(flap.character));
  return cell;
}

function halfOf(character: string): HTMLElement {
  const half = document.createElement('b');
  half.textContent = character;
  return half;
}

/**
 * The upper half of the old figure folds down and uncovers the new one's, whose lower half then falls over the old one's.
 * A card at rest has two halves: the odd children are upper ones, the even lower ones.
 */
function turnCard(card: Element, character: string, isStill: boolean): void {
  const [upper, lower] = card.children as unknown as [HTMLElement, HTMLElement];
  const before = upper.textContent!;
  while (card.children.length > 2) card.lastChild!.remove();
  writeText(upper, character);
  writeText(lower, isStill ? character : before);
  if (isStill) return;
  const leaf = halfOf(before);
  const back = halfOf(character);
  card.append(leaf, back);
  fold(leaf, ['none', ON_EDGE], 0, 'ease-in');
  fold(back, [ON_EDGE, 'none'], HALF_TURN_MS, 'ease-out').onfinish = () => {
    // The next turn may have begun.
    if (!back.isConnected) return;
    writeText(lower, character);
    leaf.remove();
    back.remove();
  };
}

function fold(half: HTMLElement, transform: string[], delay: number, easing: string): Animation {
  return half.animate({ transform }, { duration: HALF_TURN_MS, delay, easing, fill: 'both' });
}
