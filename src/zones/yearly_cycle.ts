import { dayNumberOf } from '../common/civil.ts';
import { type PosixTimeZone, yearlyChangeAt } from './posix_tz.ts';

/**
 * The changes of a yearly rule over one turn of the Gregorian calendar. After 400 years every date falls on the same
 * weekday again, so some 800 instants stand for all years, however far away.
 */
export interface YearlyCycle {
  /** Instants of change in epoch seconds, ascending, within the 400 years from `CYCLE_START_SECONDS` on. */
  readonly changes: Float64Array;
  /** Whether the first change begins DST; from there on they alternate. */
  readonly firstIsStart: boolean;
}

const FIRST_YEAR = 2000;
const YEARS = 400;
/** The seconds of 400 Gregorian years, which are whole weeks. */
export const CYCLE_SECONDS = 146_097 * 86_400;
/** 2000-01-01T00:00:00Z */
export const CYCLE_START_SECONDS = dayNumberOf(FIRST_YEAR, 1, 1) * 86_400;

/**
 * The changes of a rule with DST: none where its DST never ends, as in `XXX3EDT4,0/0,J365/23`, which is how TZif
 * writes permanent DST (RFC 9636 §3.3.2).
 */
export function yearlyCycle({ standard, daylight }: PosixTimeZone): YearlyCycle {
  if (daylight === null) return { changes: new Float64Array(0), firstIsStart: false };
  const all: { epochSeconds: number; isStart: boolean }[] = [];
  // A rule time can lie a week outside its year, hence more years than four hundred.
  for (let year = FIRST_YEAR - 2; year <= FIRST_YEAR + YEARS + 1; year++) {
    const start = yearlyChangeAt(daylight.start, year, standard.offsetSeconds);
    const end = yearlyChangeAt(daylight.end, year, daylight.type.offsetSeconds);
    all.push({ epochSeconds: start, isStart: true }, { epochSeconds: end, isStart: false });
  }
  // Where one year's DST ends as the next year's begins, the beginning counts: it is sorted behind.
  all.sort((a, b) => a.epochSeconds - b.epochSeconds || Number(a.isStart) - Number(b.isStart));
  const lasting = all.filter(({ epochSeconds }, index) => all[index + 1]?.epochSeconds !== epochSeconds);
  const changes = lasting.filter(({ isStart }, index) => isStart !== lasting[index - 1]?.isStart);
  const inside = changes.filter(
    ({ epochSeconds }) =>
      epochSeconds >= CYCLE_START_SECONDS && epochSeconds < CYCLE_START_SECONDS + CYCLE_SECONDS,
  );
  return {
    changes: Float64Array.from(inside, change => change.epochSeconds),
    firstIsStart: inside[0]?.isStart ?? true,
  };
}
