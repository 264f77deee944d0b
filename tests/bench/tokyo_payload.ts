import { MONTHS_FULL, WEEKDAYS_FULL } from '../../src/text/names.ts';

const OFFSET_MS = 9 * 3_600_000;

/** A time payload for Asia/Tokyo since 1952, whose clock is always nine hours ahead: no zone has to be searched. */
export function tokyoPayload(unix: number): object {
  const local = new Date(unix * 1000 + OFFSET_MS);
  const iso = local.toISOString().slice(0, 19);
  const weekday = WEEKDAYS_FULL[local.getUTCDay()]!;
  const month = MONTHS_FULL[local.getUTCMonth()]!;
  const [year, day, hour] = [local.getUTCFullYear(), local.getUTCDate(), local.getUTCHours()];
  const shortDay = weekday.slice(0, 3);
  return {
    unix,
    unix_ms: unix * 1000,
    utc: `${new Date(unix * 1000).toISOString().slice(0, 19)}Z`,
    iso_local: `${iso}+09:00`,
    rfc2822: `${shortDay}, ${iso.slice(8, 10)} ${month.slice(0, 3)} ${year} ${iso.slice(11)} +0900`,
    human: `${month} ${day}, ${year}, ${hour % 12 || 12}:${iso.slice(14, 16)} ${hour < 12 ? 'AM' : 'PM'} Asia/Tokyo`,
    day_number: local.getUTCDay() + 1,
    day_short: shortDay,
    day_full: weekday,
    timezone: 'Asia/Tokyo',
  };
}
