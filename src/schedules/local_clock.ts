import { SECONDS_PER_DAY } from '../common/civil.ts';

/** The local clock of a place, by periods with a constant offset. Implemented by zones. */
export interface LocalClock {
  periodAt(epochSeconds: number): {
    readonly fromEpochSeconds: number;
    readonly untilEpochSeconds: number;
    readonly offsetSeconds: number;
  };
}

/** More than the largest UTC offset, i.e. than the distance between an instant and its local time read as UTC. */
export const REACH_SECONDS = 2 * SECONDS_PER_DAY;
