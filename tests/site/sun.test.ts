import { expect, test } from 'bun:test';
import { Body, Observer, SearchRiseSet } from 'astronomy-engine';
import { crossings, subsolarPoint, sunHeight } from '../../src/site/sun.ts';

const DAY_MS = 86_400_000;
const PLACES = 200;

/** Quasi-random numbers between 0 and 1, the same in every run: multiples of the golden ratio and of √2. */
const fraction = (index: number, step: number) => (index * step) % 1;

/** Places at all latitudes up to 89°, and dates from 1980 to 2060. */
const SAMPLES = Array.from({ length: PLACES }, (_, index) => ({
  place: { lat: -89 + (178 * index) / (PLACES - 1), lon: -180 + 360 * fraction(index, 0.618034) },
  fromMs: Date.UTC(1980, 0, 1) + Math.floor(80 * 365.25 * fraction(index, Math.SQRT2)) * DAY_MS,
}));

/** Sunrise and sunset of a day by astronomy-engine. */
function expected(place: { lat: number; lon: number }, fromMs: number) {
  const observer = new Observer(place.lat, place.lon, 0);
  return [1, -1].flatMap(direction => {
    const found = SearchRiseSet(Body.Sun, observer, direction, new Date(fromMs), 1);
    return found === null ? [] : [{ epochMs: found.date.getTime(), isRise: direction === 1 }];
  });
}

test(`sunrise and sunset are within a minute of astronomy-engine at ${PLACES} places and dates`, () => {
  let days = 0;
  let polar = 0;
  for (const { place, fromMs } of SAMPLES) {
    const theirs = expected(place, fromMs).sort((one, other) => one.epochMs - other.epochMs);
    const ours = crossings(sunHeight, place, fromMs, fromMs + DAY_MS);
    expect([place, fromMs, ours.map(({ isRise }) => isRise)]).toEqual([
      place,
      fromMs,
      theirs.map(({ isRise }) => isRise),
    ]);
    for (const [index, { epochMs }] of ours.entries()) {
      const differenceSeconds = Math.abs(epochMs - theirs[index]!.epochMs) / 1000;
      expect([place, fromMs, differenceSeconds < 60]).toEqual([place, fromMs, true]);
    }
    days++;
    if (ours.length === 0) polar++;
  }
  expect(days).toBe(PLACES);
  expect(polar).toBeGreaterThan(15);
});

test('the sun is overhead at the northern tropic at the June solstice, at noon in Greenwich', () => {
  const { lat, lon, radius } = subsolarPoint(Date.UTC(2026, 5, 21, 12));
  expect(lat).toBeCloseTo(23.43, 1);
  expect(Math.abs(lon)).toBeLessThan(1);
  expect(radius).toBeCloseTo(0.2625, 3);
});
