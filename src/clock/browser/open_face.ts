import { BoundedCache } from '../../common/bounded_cache.ts';
import type { Moment } from '../../common/moment.ts';
import { type ClockConfig, isNamedByOffset } from '../clock_config.ts';
import { type LiveFace, type LiveParts, liveFaceOf } from '../live_parts.ts';
import { turnFlaps, writeText } from './turn_flaps.ts';

/** A face that was drawn by the server, and is kept up to date in a page. */
export interface Face {
  /** Shows a moment. Touches only what differs from what is shown, and with `isCoarse` what differs in a small picture. */
  show(moment: Moment, isCoarse?: boolean): void;
  /** How long what is shown at a moment holds, in milliseconds: 1000 for a face that moves on the second. */
  readonly beatMs: number;
}

/** Takes over a face that the server drew: finds its live parts, and keeps them up to date. */
export function openFace(root: Element, config: ClockConfig): Face {
  const { partsAt, beatMs } = sharedFaceOf(config);
  const elements = new Map<string, Element>();
  for (const element of root.querySelectorAll('[data-part]'))
    elements.set(element.getAttribute('data-part')!, element);
  let shown: LiveParts = {};
  return {
    beatMs,
    show(moment, isCoarse) {
      const parts = partsAt(moment, isCoarse);
      for (const key in parts) {
        const value = parts[key]!;
        // What the server drew was of another moment, but mostly the same: not every part is news at first.
        const before = shown[key] ?? drawn(elements, key);
        if (before !== value) write(elements, key, value, { before, isCoarse });
      }
      shown = parts;
    },
  };
}

/** What a kind of clock shows, found out once at a moment for all clocks of that kind that show the same place. */
type SharedFace = Pick<LiveFace, 'partsAt' | 'beatMs'>;

const faces = new BoundedCache<string, SharedFace>(64);

function sharedFaceOf(config: ClockConfig): SharedFace {
  const made = [config.styleDefinition, config.format, isNamedByOffset(config)] as const;
  const key = JSON.stringify(made);
  const face = faces.get(key) ?? rememberingLast(liveFaceOf(...made));
  faces.set(key, face);
  return face;
}

function rememberingLast({ partsAt, beatMs }: LiveFace): SharedFace {
  let last: readonly [moment: Moment, isCoarse?: boolean | undefined] | undefined;
  let parts: LiveParts;
  return {
    beatMs,
    partsAt(...at) {
      if (at[0] !== last?.[0] || at[1] !== last[1]) parts = partsAt(...at);
      last = at;
      return parts;
    },
  };
}

type Elements = ReadonlyMap<string, Element>;

interface Manner {
  readonly before: string;
  readonly isCoarse: boolean | undefined;
}

function write(elements: Elements, key: string, value: string, { before, isCoarse }: Manner): void {
  const [element, attribute] = partOf(elements, key);
  if (element === undefined) return;
  if (attribute === 'transform') turn(element, value, isCoarse);
  else if (attribute !== undefined) element.setAttribute(attribute, value);
  else if (element.matches('.sc-flaps')) turnFlaps(element, value, before);
  else writeText(element.firstElementChild ?? element, value);
}

/**
 * Turns a hand; where it is coarse and has a box, the box around the upright hand. Then the hand is not painted anew, which
 * is half the work. A shadow would turn with it; in a crowd there are none.
 */
function turn(hand: Element, rotation: string, isCoarse: boolean | undefined): void {
  const box = hand.closest<HTMLElement>('.sc-turned');
  const isByBox = isCoarse && box !== null;
  const ofHand = isByBox ? 'rotate(0)' : rotation;
  if (hand.getAttribute('transform') !== ofHand) hand.setAttribute('transform', ofHand);
  if (box !== null) box.style.transform = isByBox ? rotation.replace(')', 'deg)') : '';
}

/** What the server drew. */
function drawn(elements: Elements, key: string): string {
  const [element, attribute] = partOf(elements, key);
  const text = attribute === undefined ? element?.textContent : '';
  return element?.getAttribute(attribute ?? 'data-text') ?? text ?? '';
}

/** `name` is the text of a part, `name@attribute` an attribute of it. */
function partOf(
  elements: Elements,
  key: string,
): readonly [element: Element | undefined, attribute: string | undefined] {
  const [name, attribute] = key.split('@');
  return [elements.get(name!), attribute];
}
