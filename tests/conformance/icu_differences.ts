import { seconds } from '../support/zones.ts';

/** Differences between the offsets of the runtime's ICU, or date-fns on top of it, and tzdata 2026f since 1970. */
export interface IcuDifference {
  readonly names: readonly string[];
  readonly fromEpochSeconds: number;
  readonly untilEpochSeconds: number;
  readonly reason: string;
}

function difference(names: string, from: string, until: string | null, reason: string): IcuDifference {
  return {
    names: names.split(' '),
    fromEpochSeconds: seconds(from),
    untilEpochSeconds: until === null ? Infinity : seconds(until),
    reason,
  };
}

/** ICU 78.3 in Bun 1.4.5 has the data of tzdata 2026a. */
export const ICU_DIFFERENCES: readonly IcuDifference[] = [
  difference('America/Vancouver Canada/Pacific', '2026-11-01', null, 'permanent −07 since tzdata 2026b'),
  difference(
    'America/Edmonton America/Yellowknife Canada/Mountain',
    '2026-11-01',
    null,
    'permanent −06 since tzdata 2026c',
  ),
  difference('Africa/Casablanca Africa/El_Aaiun', '2026-09-20', null, 'permanent +00 since tzdata 2026c'),
  difference('America/Inuvik', '2026-11-01', null, 'permanent −06 since tzdata 2026d'),
  difference('America/Bogota', '1992-05-02', '1992-05-04', 'DST began at 00:00, not 24:00: tzdata 2026d'),
  difference('Asia/Tehran Iran', '1979-05-25', '1979-05-27', 'DST began at 00:00, not 24:00: tzdata 2026d'),
  difference(
    'America/Winnipeg America/Rainy_River Canada/Central',
    '2026-11-01',
    null,
    'permanent −05 since tzdata 2026e',
  ),
  difference('America/Havana Cuba', '2026-11-01', '2027-03-15', 'no fall back in 2026: tzdata 2026f'),
  difference(
    'EET',
    '1970-01-01',
    '1981-01-01',
    'Athens to ICU, a zone of its own in the build with backzone',
  ),
  difference(
    'WET',
    '1970-01-01',
    '1997-01-01',
    'Lisbon to ICU, a zone of its own in the build with backzone',
  ),
  difference('Factory', '1970-01-01', null, 'no zone to ICU'),
  difference('Africa/Monrovia', '1970-01-01', '1972-01-08', 'date-fns drops the sign of −00:44:30'),
];
