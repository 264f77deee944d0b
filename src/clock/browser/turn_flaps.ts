import { type Flap, flapsOf } from '../figures/layout.ts';

const HALF_TURN_MS = 150;

/** A leaf seen from its edge, without perspective, which is a tenth of the work. */
const ON_EDGE = 'scaleY(0)';

/** Turns the cards of a row that changed since `before`; rebuilds a row of another shape. */
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

/** Reuses the text node, which costs less than a new one. */
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
 * Folds the old upper half down over the new one, then the new lower half over the old one. A card at rest has two
 * children, its upper and its lower half.
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
    // The next turn may have removed it.
    if (!back.isConnected) return;
    writeText(lower, character);
    leaf.remove();
    back.remove();
  };
}

function fold(half: HTMLElement, transform: string[], delay: number, easing: string): Animation {
  return half.animate({ transform }, { duration: HALF_TURN_MS, delay, easing, fill: 'both' });
}
