import type { Moment } from '../common/moment.ts';
import type { HandManner } from './styles/style.ts';

/** How long the hands rest between movements, in milliseconds. */
export const BEATS_MS: Readonly<Record<HandManner, number>> = {
  tick: 1000,
  sweep: 250,
  station: 250,
};

/**
 * The second hand of a railway station clock completes its round in 58.5 seconds and waits at the top for the minute
 * signal (H. Hilfiker's clock of the Swiss Federal Railways, 1955).
 */
const STATION_ROUND_MS = 58_500;

/** The hands at a moment, in degrees clockwise from twelve o'clock, below 360. */
export function handAnglesAt(moment: Moment, manner: HandManner) {
  const { hour, minute, second } = moment;
  if (manner === 'station') {
    const intoMinuteMs = second * 1000 + moment.millisecond;
    return {
      hour: (hour % 12) * 30 + minute / 2,
      minute: minute * 6 + recoilAt(intoMinuteMs),
      second: (Math.min(intoMinuteMs / STATION_ROUND_MS, 1) * 360) % 360,
    };
  }
  const beatMs = BEATS_MS[manner];
  const shownMs = Math.floor(moment.millisecond / beatMs) * beatMs;
  return {
    hour: (hour % 12) * 30 + minute / 2 + second / 120,
    minute: minute * 6 + second / 10,
    second: second * 6 + (shownMs / 1000) * 6,
  };
}

/** The minute hand overshoots once after each jump, in degrees. */
function recoilAt(intoMinuteMs: number): number {
  return intoMinuteMs >= 250 && intoMinuteMs < 500 ? -0.8 : 0;
}
