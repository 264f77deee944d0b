import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { ServiceError } from '../../src/common/errors.ts';
import { compileDurationTemplate, durationTemplateOf } from '../../src/text/duration.ts';

const LONGEST = 17_280_000_000_000; // the whole range of Date
const seconds = fc.oneof(fc.integer({ min: 0, max: LONGEST }), fc.integer({ min: 0, max: 200_000 }));

describe('by template', () => {
  const format = (template: string, duration: number) =>
    compileDurationTemplate(template, 'format').format(duration);

  test.each([
    ['%hoursh %minutesm', 90_000, '25h 0m'],
    ['%days', 86_399, '0'],
    ['%seconds', 90_061, '90061'],
    ['%days:%hours:%minutes:%seconds', 90_061, '1:1:1:1'],
    ['%days d %seconds s', 90_061, '1 d 3661 s'],
    ['%minutes of %days', 90_061, '61 of 1'],
    ['%hours %hours', 90_061, '25 25'],
    ['%daysx', 172_800, '2x'],
    ['100%%', 5, '100%'],
    ['%%days', 5, '%days'],
    ['%%%days', 86_400, '%1'],
    ['no token', 5, 'no token'],
  ])("'%s' of %d seconds is '%s'", (template, duration, text) => {
    expect(format(template, duration)).toBe(text);
  });

  test('the tokens present add up to the duration, except for the remainder below the smallest', () => {
    const units = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 };
    const names = Object.keys(units) as (keyof typeof units)[];
    fc.assert(
      fc.property(seconds, fc.shuffledSubarray(names, { minLength: 1 }), (duration, present) => {
        const counts = format(present.map(name => `%${name}`).join(' '), duration)
          .split(' ')
          .map(Number);
        const sum = present.reduce((total, name, index) => total + units[name] * counts[index]!, 0);
        expect(duration - sum).toBeGreaterThanOrEqual(0);
        expect(duration - sum).toBeLessThan(Math.min(...present.map(name => units[name])));
        // A smaller token never exceeds one unit of a larger token present.
        present.forEach((name, index) => {
          const larger = present.map(other => units[other]).filter(unit => unit > units[name]);
          expect(units[name] * counts[index]!).toBeLessThan(Math.min(...larger, Number.POSITIVE_INFINITY));
        });
      }),
    );
  });

  test.each([
    ['%weeks', "'%weeks' at character 1 is not a token: expected %days, %hours, %minutes, %seconds or %%"],
    ['x %Days', "'%Days' at character 3 is not a token: expected %days, %hours, %minutes, %seconds or %%"],
    ['%day', "'%day' at character 1 is not a token: expected %days, %hours, %minutes, %seconds or %%"],
    ['5 %', "'%' at character 3 is not a token: expected %days, %hours, %minutes, %seconds or %%"],
    ['', "'' is empty: expected a template like %hours:%minutes"],
    ['x'.repeat(257), 'a template has at most 256 characters'],
  ])("'%s' is rejected", (template, reason) => {
    expect(() => compileDurationTemplate(template, 'format')).toThrow(`Cannot read 'format': ${reason}`);
  });

  test('a template of 256 characters is compiled', () => {
    expect(format('%%'.repeat(128), 1)).toBe('%'.repeat(128));
    expect(format('😀'.repeat(256), 1)).toBe('😀'.repeat(256));
  });

  test('a cached template is the same object, even after other templates', () => {
    const first = durationTemplateOf('%days days', 'format');
    expect(durationTemplateOf('%days days', 'format')).toBe(first);
    expect(() => durationTemplateOf('%x', 'format')).toThrow(ServiceError);
    expect(() => durationTemplateOf('%x', 'format')).toThrow(ServiceError);
  });

  test('any template is compiled or rejected with a message', () => {
    const token = fc.constantFrom('%days', '%hours', '%minutes', '%seconds', '%%', '%', 'x', 'é', '😀');
    const template = fc.oneof(
      fc.string(),
      fc.array(token, { maxLength: 60 }).map(parts => parts.join('')),
    );
    fc.assert(
      fc.property(template, seconds, (text, duration) => {
        try {
          expect(format(text, duration).length).toBeLessThan(1000);
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          expect(error.code).toBe('INVALID_PARAMETER');
        }
      }),
    );
  });
});
