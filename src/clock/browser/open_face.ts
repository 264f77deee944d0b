import { BoundedCache } from '../../common/bounded_cache.ts';
import type { Moment } from '../../common/moment.ts';
import { type ClockConfig, isNamedByOffset } from '../clock_config.ts';
import { LIVE_ATTRIBUTES, type LiveFace, type LiveParts, liveFaceOf } from '../live_parts.ts';
import { turnFlaps, writeText } from './turn_flaps.ts';

/** A face that the server drew, and that this script updates. */
export interface Face {
  /** Shows a moment. Writes only what changes, and with `isCoarse` only what changes in a small picture. */
  show(moment: Moment, isCoarse?: boolean): void;
  /** How long the picture stays the same, in milliseconds: 1000 for a face that moves once per second. */
  readonly beatMs: number;
}

/** Finds the live parts of a face that the server drew. */
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
        // At first, compares with what the server drew, which is mostly still right.
        const before = shown[key] ?? drawn(elements, key);
        if (before !== value) write(elements, key, value, { before, isCoarse });
      }
      shown = parts;
    },
  };
}

/** The parts of a face, computed once per moment for all clocks of the same kind and place. */
type SharedFace = Pick<LiveFace, 'partsAt' | 'beatMs'>;

const faces = new BoundedCache<string, SharedFace>(64);

function sharedFaceOf(config: ClockConfig): SharedFace {
  const made = [config.styleDefinition, config.format, isNamedByOffset(config)] as const;
  const key = JSON.stringify(made);
  return faces.getOrInsertComputed(key, () => rememberingLast(liveFaceOf(...made)));
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
  else if (attribute !== undefined) {
    if (LIVE_ATTRIBUTES.includes(attribute)) element.setAttribute(attribute, value);
  } else if (element.matches('.sc-flaps')) turnFlaps(element, value, before);
  else writeText(element.firstElementChild ?? element, value);
}

/**
 * Turns a hand or, if coarse, the box around the upright hand: that avoids repainting the hand, half of the work. A shadow
 * would turn with the box, but crowded clocks have none.
 */
function turn(hand: Element, rotation: string, isCoarse: boolean | undefined): void {
  const box = hand.closest<HTMLElement>('.sc-turned');
  const isByBox = isCoarse && box !== null;
  const ofHand = isByBox ? 'rotate(0)' : rotation;
  if (hand.getAttribute('transform') !== ofHand) hand.setAttribute('transform', ofHand);
  if (box !== null) box.style.transform = isByBox ? rotation.replace(')', 'deg)') : '';
}

/** The value that the server drew. */
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
