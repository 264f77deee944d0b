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

/** How long it is between two instants since 1970, as `diff` and `elapsed` return it. */
function span(signedSeconds: number) {
  const seconds = Math.abs(signedSeconds);
  const [minutes, hours, days] = [
    Math.floor(seconds / 60),
    Math.floor(seconds / 3600),
    Math.floor(seconds / 86_400),
  ];
  return { seconds, minutes, hours, days };
}

function inWords({ seconds, minutes, hours, days }: ReturnType<typeof span>): string {
  const parts = [];
  if (days > 0) parts.push(`${days} ${days === 1 ? 'day' : 'days'}`);
  if (hours % 24 > 0) parts.push(`${hours % 24} ${hours % 24 === 1 ? 'hour' : 'hours'}`);
  if (minutes % 60 > 0) parts.push(`${minutes % 60} ${minutes % 60 === 1 ? 'minute' : 'minutes'}`);
  if (seconds % 60 > 0) parts.push(`${seconds % 60} ${seconds % 60 === 1 ? 'second' : 'seconds'}`);
  return parts.join(', ') || '0 seconds';
}

/** The payload of `diff` for two instants in epoch seconds, without options. */
export function diffPayload(from: number, to: number): object {
  const length = span(to - from);
  return {
    ...length,
    direction: from === to ? 'same' : from < to ? 'forward' : 'backward',
    human: inWords(length),
    from: { unix_ms: from * 1000 },
    to: { unix_ms: to * 1000 },
  };
}

/** The payload of `elapsed` for two instants in epoch seconds, without options. */
export function elapsedPayload(reference: number, comparison: number): object {
  const length = span(reference - comparison);
  const isLeft = reference > comparison;
  return {
    ...length,
    human: `${inWords(length)} ${isLeft ? 'left' : 'ago'}`,
    direction: isLeft ? 'left' : 'passed',
  };
}
