import { BoundedCache } from '../../common/caching.ts';
import type { Moment } from '../../common/moment.ts';
import { type ClockConfig, contentKeyOf } from '../clock_config.ts';
import {
  DEEP_ROW,
  type FigureLine,
  type FigureSet,
  type Flap,
  flapsOf,
  type Glyphs,
  glyphWriter,
  type LineWriter,
} from '../figures/glyph_line.ts';
import {
  LIVE_ATTRIBUTES,
  type LiveFace,
  type LiveParts,
  liveFaceOf,
  STATION_ROUND_MS,
} from '../live_parts.ts';
import type { HandManner } from '../styles/style.ts';

/** How a clock animates: fully; once per second, if visitors prefer reduced motion; or, among many clocks, also as cheaply as possible. */
export type Pace = 'lively' | 'calm' | 'crowded';

const MINUTE_MS = 60_000;
/** An animation that deviates more than this is reset; at 96 px a hand moves by a pixel in 200 ms. */
const MAX_DRIFT_MS = 40;

const [UPRIGHT, ROUND] = ['rotate(0deg)', 'rotate(360deg)'];
const KEYFRAMES: Readonly<Record<HandManner, Keyframe[] | undefined>> = {
  tick: undefined,
  sweep: [{ transform: UPRIGHT }, { transform: ROUND }],
  station: [
    { transform: UPRIGHT },
    { transform: ROUND, offset: STATION_ROUND_MS / MINUTE_MS },
    { transform: ROUND },
  ],
};

/** By box. Animations continue if a clock is removed and inserted again. */
const glides = new WeakMap<Element, Animation>();

/**
 * Returns a function that turns a part of a dial, or moves a label, by its attribute `transform`. Second hands are in a box; if the
 * page is crowded or the hand glides, the box turns around the upright hand, which saves repainting the hand, half of the work.
 * A shadow would turn with the box, but such hands have none.
 */
function handOf(hand: Element, manner: HandManner) {
  const box = hand.closest<HTMLElement>('.sc-turned');
  let [ofHand, ofBox] = [hand.getAttribute('transform'), box?.style.transform];
  const turnHand = (rotation: string) => {
    if (rotation !== ofHand) hand.setAttribute('transform', rotation);
    ofHand = rotation;
  };
  const turnBox = (turned: HTMLElement, rotation: string) => {
    if (rotation !== ofBox) turned.style.transform = rotation;
    ofBox = rotation;
  };
  return (rotation: string, pace: Pace, moment: Moment): void => {
    if (box === null) {
      const isJump = manner === 'station' && pace === 'lively' && rotation !== ofHand;
      turnHand(rotation);
      if (isJump && hand.matches('[data-part="minute"]')) recoil(hand, rotation);
    } else if (manner !== 'tick' && pace === 'lively') {
      turnHand('rotate(0)');
      turnBox(box, '');
      glide(box, KEYFRAMES[manner]!, moment);
    } else {
      glides.get(box)?.cancel();
      glides.delete(box);
      const isByBox = pace === 'crowded';
      turnHand(isByBox ? 'rotate(0)' : rotation);
      turnBox(box, isByBox ? rotation.replace(')', 'deg)') : '');
    }
  };
}

/** Turns a box once a minute, by an animation of the compositor. Called each second to correct deviations. */
function glide(box: HTMLElement, keyframes: Keyframe[], { second, millisecond }: Moment): void {
  const wantedMs = second * 1000 + millisecond;
  const animation =
    glides.get(box) ?? box.animate(keyframes, { duration: MINUTE_MS, iterations: Number.POSITIVE_INFINITY });
  glides.set(box, animation);
  const aheadMs = (Number(animation.currentTime) - wantedMs) % MINUTE_MS;
  const driftMs = Math.min(Math.abs(aheadMs), MINUTE_MS - Math.abs(aheadMs));
  if (driftMs > MAX_DRIFT_MS) animation.currentTime = wantedMs;
}

/** The minute hand of a station clock overshoots when it jumps. */
function recoil(hand: Element, rotation: string): void {
  const degrees = Number.parseFloat(rotation.slice('rotate('.length));
  const transform = [-5, 1, -0.5, 0].map(by => `rotate(${degrees + by}deg)`);
  hand.animate({ transform, offset: [0, 0.3, 0.7, 1] }, 350);
}

export type Face = ReturnType<typeof openFace>;

/**
 * Finds the live parts of a server-rendered face. The returned function shows a moment; it writes only changes and, if crowded,
 * only those visible at a small size.
 */
export function openFace(root: Element, config: ClockConfig) {
  const { partsAt, drawFlap, manner } = sharedFaceOf(config);
  const elements = new Map<string, Element>();
  const hands = new Map<Element, ReturnType<typeof handOf>>();
  for (const element of root.querySelectorAll('[data-part]')) {
    elements.set(element.getAttribute('data-part')!, element);
    if (element.hasAttribute('transform')) hands.set(element, handOf(element, manner));
  }
  let shown: LiveParts = {};
  let shownPace: Pace | undefined;
  return (moment: Moment, pace: Pace): void => {
    const parts = partsAt(moment, pace === 'crowded');
    for (const key in parts) {
      const value = parts[key]!;
      // If the pace has changed, a hand that is already in place may have to start or stop gliding.
      if (shown[key] === value && !(pace !== shownPace && key.endsWith('@transform'))) continue;
      // `name` is the text of a part, `name@attribute` an attribute of it.
      const [name, attribute] = key.split('@') as [string, string?];
      const element = elements.get(name);
      if (element === undefined) continue;
      const turn = attribute === 'transform' ? hands.get(element) : undefined;
      // Initially compares with the server-rendered value, which is usually still right.
      const before = shown[key] ?? drawn(element, attribute);
      if (turn !== undefined) turn(value, pace, moment);
      else if (before === value) continue;
      else if (attribute !== undefined) {
        if (LIVE_ATTRIBUTES.includes(attribute)) element.setAttribute(attribute, value);
      } else if (element.matches('.sc-flaps')) turnFlaps(element, value, before, drawFlap);
      else writeText(element.firstElementChild ?? element, value);
    }
    shown = parts;
    shownPace = pace;
  };
}

/** The parts of a face, computed once per moment for all clocks of the same kind and place. */
interface SharedFace extends Pick<LiveFace, 'partsAt'> {
  readonly drawFlap: LineWriter;
  readonly manner: HandManner;
}

const faces = new BoundedCache<string, SharedFace>(64);

function sharedFaceOf(config: ClockConfig): SharedFace {
  const { styleDefinition, glyphs = {}, in_rows: isInRows = false } = config;
  const key = JSON.stringify([styleDefinition, isInRows, contentKeyOf(config)]);
  return faces.getOrInsertComputed(key, () => {
    const writers = (set: FigureSet) => writerOf(glyphs[set]);
    const { partsAt } = liveFaceOf(config, isInRows, writers);
    const manner = styleDefinition.family === 'analog' ? styleDefinition.manner : 'tick';
    return { partsAt: rememberingLast(partsAt), drawFlap: writers('heavy'), manner };
  });
}

/** Texts with characters without a glyph are set in type. */
export function writerOf(glyphs: Glyphs = { gap: 0, sides: [0, 0], row: DEEP_ROW, shapes: {} }): LineWriter {
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

/** The server-rendered value of a text or an attribute. */
function drawn(element: Element, attribute: string | undefined): string {
  const text = attribute === undefined ? element.textContent : '';
  return element.getAttribute(attribute ?? 'data-text') ?? text;
}

const HALF_TURN_MS = 150;

/** A leaf seen edge-on, without perspective, which would take ten times the work. */
const ON_EDGE = 'scaleY(0)';

/** Turns the cards of a row that changed since `before`; rebuilds a row with a different structure. */
function turnFlaps(row: Element, text: string, before: string, draw: LineWriter): void {
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
function writeText(element: Element, text: string): void {
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

/** Folds the old upper half down over the new one, then the new lower half over the old one. A card at rest has only these two halves. */
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
