import type { Moment } from '../../common/moment.ts';
import { STATION_ROUND_MS } from '../hand_angles.ts';
import type { HandManner } from '../styles/style.ts';

/**
 * How much a clock animates: fully; once per second, for visitors who prefer reduced motion; or, among many clocks, also
 * painted in the cheapest way.
 */
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
 * A part of a dial that turns, or a label that moves, according to its attribute `transform`. Second hands are in a box; if the
 * page is crowded or the hand glides, the box turns around the upright hand, which saves repainting the hand, half of the work.
 * A shadow would turn with the box, but such hands have none.
 */
export class Hand {
  readonly #hand: Element;
  readonly #box: HTMLElement | null;
  readonly #manner: HandManner;
  #ofHand: string | null;
  #ofBox: string | undefined;

  constructor(hand: Element, manner: HandManner) {
    this.#hand = hand;
    this.#box = hand.closest<HTMLElement>('.sc-turned');
    this.#manner = manner;
    this.#ofHand = hand.getAttribute('transform');
    this.#ofBox = this.#box?.style.transform;
  }

  turn(rotation: string, pace: Pace, moment: Moment): void {
    if (this.#box === null) {
      const isJump = this.#manner === 'station' && pace === 'lively' && rotation !== this.#ofHand;
      this.#turnHand(rotation);
      if (isJump && this.#hand.matches('[data-part="minute"]')) recoil(this.#hand, rotation);
    } else if (this.#manner !== 'tick' && pace === 'lively') {
      this.#turnHand('rotate(0)');
      this.#turnBox(this.#box, '');
      glide(this.#box, KEYFRAMES[this.#manner]!, moment);
    } else {
      glides.get(this.#box)?.cancel();
      glides.delete(this.#box);
      const isByBox = pace === 'crowded';
      this.#turnHand(isByBox ? 'rotate(0)' : rotation);
      this.#turnBox(this.#box, isByBox ? rotation.replace(')', 'deg)') : '');
    }
  }

  #turnHand(rotation: string): void {
    if (rotation !== this.#ofHand) this.#hand.setAttribute('transform', rotation);
    this.#ofHand = rotation;
  }

  #turnBox(box: HTMLElement, rotation: string): void {
    if (rotation !== this.#ofBox) box.style.transform = rotation;
    this.#ofBox = rotation;
  }
}

/**
 * Turns a box once a minute, by an animation that the compositor runs without this script. Called each second to correct
 * deviations.
 */
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
