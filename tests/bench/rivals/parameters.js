/** Parameter parsing that does not involve the time library. */
import { BadRequest } from './bad_request.js';
import { zoneOfCoordinates, zoneOfIp } from './places.js';

const OFFSET = /^[+-](?:[01]\d|2[0-3]):[0-5]\d$/;

export function readWhole(name, text) {
  if (!/^[+-]?\d+$/.test(text)) throw new BadRequest('INVALID_PARAMETER', `'${name}' is not a whole number`);
  return Number(text);
}

/** Minutes east of UTC. */
export function readOffset(text) {
  const offset = text.replace(' ', '+');
  if (!OFFSET.test(offset)) throw new BadRequest('INVALID_PARAMETER', `'${text}' is not an offset`);
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4));
  return offset[0] === '-' ? -minutes : minutes;
}

export function offsetText(minutes) {
  const size = Math.abs(minutes);
  const two = number => String(number).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.trunc(size / 60))}:${two(size % 60)}`;
}

/**
 * The one selector of a query, or null: `{ zone }` with a name, or `{ offset }` in minutes. `prefix` is, for example,
 * `source_`.
 */
export function readSelector(query, prefix = '') {
  const of = name => query[`${prefix}${name}`];
  const hasCoordinates = of('lat') !== undefined || of('lon') !== undefined;
  const given = [
    of('tz'),
    of('ip'),
    of('offset'),
    of('utc') === 'true' || undefined,
    hasCoordinates || undefined,
  ];
  const count = given.filter(value => value !== undefined).length;
  if (count > 1) throw new BadRequest('AMBIGUOUS_TARGET', 'Several selectors are given together');
  if (count === 0) return null;
  if (of('tz') !== undefined) return { kind: 'tz', tz: of('tz'), zone: of('tz') };
  if (of('ip') !== undefined) return { kind: 'ip', ip: of('ip'), zone: zoneOfIp(of('ip')) };
  if (of('offset') !== undefined) {
    return { kind: 'offset', offset: of('offset'), minutes: readOffset(of('offset')) };
  }
  if (of('utc') === 'true') return { kind: 'utc', zone: 'UTC' };
  return {
    kind: 'coordinates',
    lat: of('lat'),
    lon: of('lon'),
    zone: zoneOfCoordinates(of('lat'), of('lon')),
  };
}

/** The selectors of a bulk, or null if the query has no comma-separated list. */
export function readBulk(query) {
  for (const name of ['tz', 'ip', 'offset']) {
    if (query[name]?.includes(',')) return query[name].split(',').map(item => ({ [name]: item }));
  }
  return null;
}

/** The specifier of `diff`: `now`, `unix=…`, `iso=…`, `tz=…` as the query of one timestamp and its hints. */
export function readSpecifier(query, side) {
  const text = query[side];
  if (text === undefined) throw new BadRequest('INVALID_PARAMETER', `'${side}' is missing`);
  if (text === 'now') return {};
  const [, name, value] = /^(unix|unix_ms|iso|tz|ip|offset)=(.+)$/.exec(text) ?? [];
  if (name === undefined) throw new BadRequest('INVALID_PARAMETER', `'${side}' is not a specifier`);
  const timestamp = { [name]: value };
  for (const hint of ['tz', 'ip', 'lat', 'lon', 'offset']) {
    if (query[`${side}_${hint}`] !== undefined) timestamp[`source_${hint}`] = query[`${side}_${hint}`];
  }
  return timestamp;
}
