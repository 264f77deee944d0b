import { describe, expect, test } from 'bun:test';
import { parsePosixTz } from '../../src/zones/posix_tz.ts';

describe('a TZ string', () => {
  test('counts offsets positive west of Greenwich', () => {
    expect(parsePosixTz('EST5').standard).toEqual({
      offsetSeconds: -18_000,
      abbreviation: 'EST',
      isDst: false,
    });
    expect(parsePosixTz('<+0530>-5:30').standard.offsetSeconds).toBe(19_800);
    expect(parsePosixTz('<-004430>0:44:30').standard).toMatchObject({
      offsetSeconds: -2670,
      abbreviation: '-004430',
    });
    expect(Object.is(parsePosixTz('UTC0').standard.offsetSeconds, 0)).toBe(true);
  });

  test('has DST an hour ahead by default', () => {
    expect(parsePosixTz('CET-1CEST,M3.5.0,M10.5.0/3').daylight?.type.offsetSeconds).toBe(7200);
    expect(parsePosixTz('<+1030>-10:30<+11>-11,M10.1.0,M4.1.0').daylight?.type.offsetSeconds).toBe(39_600);
  });

  test('has days and times of every form', () => {
    expect(parsePosixTz('AAA0BBB,J60/-167,365/167:59:59').daylight).toMatchObject({
      start: { day: { kind: 'julian', day: 60 }, secondsOfDay: -167 * 3600 },
      end: { day: { kind: 'ordinal', day: 365 }, secondsOfDay: 168 * 3600 - 1 },
    });
    expect(parsePosixTz('AAA0BBB,M12.5.6,M1.1.0/-0:30').daylight).toMatchObject({
      start: { day: { kind: 'weekday', month: 12, week: 5, weekday: 6 }, secondsOfDay: 7200 },
      end: { day: { kind: 'weekday', month: 1, week: 1, weekday: 0 }, secondsOfDay: -1800 },
    });
  });

  test('that is malformed is rejected and quoted', () => {
    const names = ['', 'E5', 'EST', '5EST', '<E>5', '<+0 1>5', 'É5', ':EST5', 'EST5 '];
    const offsets = ['EST25', 'EST5:60', 'EST5:00:60', 'EST5:0', 'EST005', 'EST--5', 'EST5EDT'];
    const rules = [
      'M3.2',
      'M0.2.0',
      'M13.2.0',
      'M3.0.0',
      'M3.6.0',
      'M3.2.7',
      'J0',
      'J366',
      '366',
      'M3.2.0/168',
      'X1',
      '',
    ];
    const wrong = [...names, ...offsets, ...rules.map(rule => `EST5EDT,${rule},M11.1.0`), 'EST5EDT,M3.2.0'];
    for (const text of wrong)
      expect(() => parsePosixTz(text)).toThrow(`${JSON.stringify(text)} is not a POSIX TZ string`);
  });

  test('of any length is rejected quickly', () => {
    for (const text of ['A'.repeat(100_000), `EST5EDT,${'M'.repeat(100_000)}`, `EST${'5:'.repeat(50_000)}`]) {
      expect(() => parsePosixTz(text)).toThrow('is not a POSIX TZ string');
    }
  });
});
