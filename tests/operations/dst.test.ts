import { expect, test } from 'bun:test';
import { type DstStatus, dstStatus } from '../../src/operations/dst.ts';
import { NO_TARGET, type Target, zoneTarget } from '../../src/operations/target.ts';
import { zoneOf } from '../support/zones.ts';

const PARIS = zoneTarget(zoneOf('Europe/Paris'));

function statusAt(epochMs: number, target: Target, withNext: boolean): DstStatus {
  return JSON.parse(dstStatus(epochMs, target, withNext));
}

/** The next change after an instant, as in responses. */
function nextAt(iso: string): string | null | undefined {
  return statusAt(Date.parse(iso), PARIS, true).next_transition;
}

test('the next change is returned until its very second, and the following one from then on', () => {
  expect(nextAt('2026-06-01T00:00:00Z')).toBe('2026-10-25T03:00:00+02:00');
  expect(nextAt('2026-10-25T00:59:59.999Z')).toBe('2026-10-25T03:00:00+02:00');
  expect(nextAt('2026-10-25T01:00:00Z')).toBe('2027-03-28T02:00:00+01:00');
  expect(nextAt('2026-06-01T00:00:00Z')).toBe('2026-10-25T03:00:00+02:00'); // a clock set back
});

test('a change beyond the range of times is ignored', () => {
  const atTheEnd = { next_transition: null };
  expect(statusAt(8.64e15, PARIS, true)).toMatchObject(atTheEnd);
  expect(nextAt('+275760-09-12T00:00:00Z')).toBeNull();
  expect(nextAt('+275760-01-01T00:00:00Z')).toBe('+275760-03-30T02:00:00+01:00');
});

test('there is no change without a zone, and none is returned unless requested', () => {
  expect(statusAt(0, NO_TARGET, true)).toEqual({
    dst_active: false,
    next_transition: null,
  });
  expect(statusAt(Date.UTC(2026, 6), PARIS, false)).toEqual({ dst_active: true });
});
