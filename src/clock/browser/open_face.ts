import { BoundedCache } from '../../common/bounded_cache.ts';
import type { Moment } from '../../common/moment.ts';
import { type ClockConfig, contentKeyOf, isNamedByOffset } from '../clock_config.ts';
import type { FigureSet } from '../figures/figure_set.ts';
import { type Glyphs, glyphWriter, type LineWriter } from '../figures/glyph_line.ts';
import { LIVE_ATTRIBUTES, type LiveFace, type LiveParts, liveFaceOf } from '../live_parts.ts';
import type { HandManner } from '../styles/style.ts';
import { Hand, type Pace } from './hand_motion.ts';
import { turnFlaps, writeText } from './turn_flaps.ts';

/** A server-rendered face that this script updates. */
export interface Face {
  /** Shows a moment. Writes only changes and, if crowded, only those visible at a small size. */
  show(moment: Moment, pace: Pace): void;
}

/** Finds the live parts of a server-rendered face. */
export function openFace(root: Element, config: ClockConfig): Face {
  const { partsAt, drawFlap, manner } = sharedFaceOf(config);
  const elements = new Map<string, Element>();
  const hands = new Map<Element, Hand>();
  for (const element of root.querySelectorAll('[data-part]')) {
    elements.set(element.getAttribute('data-part')!, element);
    if (element.hasAttribute('transform')) hands.set(element, new Hand(element, manner));
  }
  let shown: LiveParts = {};
  let shownPace: Pace | undefined;
  return {
    show(moment, pace) {
      const parts = partsAt(moment, pace === 'crowded');
      for (const key in parts) {
        const value = parts[key]!;
        // Initially compares with the server-rendered value, which is usually still right.
        const before = shown[key] ?? drawn(elements, key);
        // If the pace has changed, a hand that is already in place may have to start or stop gliding.
        if (before === value && !(pace !== shownPace && key.endsWith('@transform'))) continue;
        const [element, attribute] = partOf(elements, key);
        if (element === undefined) continue;
        const hand = attribute === 'transform' ? hands.get(element) : undefined;
        if (hand !== undefined) hand.turn(value, pace, moment);
        else write(element, attribute, value, before, drawFlap);
      }
      shown = parts;
      shownPace = pace;
    },
  };
}

/** The parts of a face, computed once per moment for all clocks of the same kind and place. */
interface SharedFace extends Pick<LiveFace, 'partsAt'> {
  readonly drawFlap: LineWriter;
  readonly manner: HandManner;
}

const faces = new BoundedCache<string, SharedFace>(64);

function sharedFaceOf(config: ClockConfig): SharedFace {
  const { styleDefinition, format, glyphs = {}, in_rows: isInRows = false, options } = config;
  const naming = { isOffset: isNamedByOffset(config), isInRows };
  const key = JSON.stringify([styleDefinition, format, naming, contentKeyOf(options)]);
  return faces.getOrInsertComputed(key, () => {
    const writers = (set: FigureSet) => writerOf(glyphs[set]);
    const { partsAt } = liveFaceOf(styleDefinition, format, naming, writers, options);
    const manner = styleDefinition.family === 'analog' ? styleDefinition.manner : 'tick';
    return { partsAt: rememberingLast(partsAt), drawFlap: writers('heavy'), manner };
  });
}

/** Texts with characters without a glyph are set in type. */
export function writerOf(
  glyphs: Glyphs = { gap: 0, sides: [0, 0], row: [-32, 164], shapes: {} },
): LineWriter {
  const { shapes } = glyphs;
  return glyphWriter(glyphs, character => shapes[character] ?? shapes[character.toUpperCase()]);
}

function rememberingLast(partsAt: LiveFace['partsAt']): LiveFace['partsAt'] {
  let last: readonly [moment: Moment, isCoarse?: boolean | undefined] | undefined;
  let parts: LiveParts;
  return (...at) => {
    if (at[0] !== last?.[0] || at[1] !== last[1]) parts = partsAt(...at);
    last = at;
    return parts;
  };
}

function write(
  element: Element,
  attribute: string | undefined,
  value: string,
  before: string,
  drawFlap: LineWriter,
): void {
  if (attribute !== undefined) {
    if (LIVE_ATTRIBUTES.includes(attribute)) element.setAttribute(attribute, value);
  } else if (element.matches('.sc-flaps')) turnFlaps(element, value, before, drawFlap);
  else writeText(element.firstElementChild ?? element, value);
}

/** The server-rendered value. */
function drawn(elements: Elements, key: string): string {
  const [element, attribute] = partOf(elements, key);
  const text = attribute === undefined ? element?.textContent : '';
  return element?.getAttribute(attribute ?? 'data-text') ?? text ?? '';
}

type Elements = ReadonlyMap<string, Element>;

/** `name` is the text of a part, `name@attribute` an attribute of it. */
function partOf(
  elements: Elements,
  key: string,
): readonly [element: Element | undefined, attribute: string | undefined] {
  const [name, attribute] = key.split('@');
  return [elements.get(name!), attribute];
}
