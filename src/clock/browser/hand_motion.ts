import type { Moment } from '../../common/moment.ts';
import { STATION_ROUND_MS } from '../hand_angles.ts';
import type { HandManner } from '../styles/style.ts';

const MINUTE_MS = 60_000;
/** An animation that is further from the time than this is set again; at 96 px a hand moves by a pixel in 200 ms. */
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

const glides = new WeakMap<Element, Animation>();

/**
 * Turns the box around an upright second hand, once a minute, by an animation that the compositor runs without this script.
 * Called each second, corrects what it is ahead or behind.
 */
export function glide(
  box: HTMLElement,
  hand: Element,
  manner: HandManner,
  { second, millisecond }: Moment,
): void {
  const wantedMs = second * 1000 + millisecond;
  let animation = glides.get(box);
  if (animation === undefined) {
    hand.setAttribute('transform', 'rotate(0)');
    box.style.transform = '';
    animation = box.animate(KEYFRAMES[manner]!, {
      duration: MINUTE_MS,
      iterations: Number.POSITIVE_INFINITY,
    });
    animation.currentTime = wantedMs;
    glides.set(box, animation);
  }
  const aheadMs = (Number(animation.currentTime) - wantedMs) % MINUTE_MS;
  const driftMs = Math.min(Math.abs(aheadMs), MINUTE_MS - Math.abs(aheadMs));
  if (driftMs > MAX_DRIFT_MS) animation.currentTime = wantedMs;
}

/** Ends the animation of a box; whether there was one. */
export function stopGliding(box: Element): void {
  glides.get(box)?.cancel();
  glides.delete(box);
}

/** The minute hand of a station clock overshoots when it jumps. */
export function recoil(hand: Element, degrees: number): void {
  const transform = [-5, 1, -0.5, 0].map(by => `rotate(${degrees + by}deg)`);
  hand.animate({ transform, offset: [0, 0.3, 0.7, 1] }, 350);
}
