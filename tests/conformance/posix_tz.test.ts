import { expect, test } from 'bun:test';
import { parsePosixTz } from '../../src/zones/posix_tz.ts';
import { Timeline } from '../../src/zones/timeline.ts';
import { dumpTzStrings, hasZdump } from '../support/zdump.ts';
import { seconds } from '../support/zones.ts';

const TZ_STRINGS = [
  'EST5EDT,M3.2.0,M11.1.0',
  'CET-1CEST,M3.5.0,M10.5.0/3',
  '<+11>-11<+12>,M10.1.0,M4.1.0/3',
  '<+1030>-10:30<+11>-11,M10.1.0,M4.1.0',
  '<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45',
  '<-02>2<-01>,M3.5.0/-1,M10.5.0/0',
  'IST-2IDT,M3.4.4/26,M10.5.0',
  'EET-2EEST,M3.4.4/50,M10.4.4/50',
  '<-06>6<-05>,M9.1.6/22,M4.1.6/22',
  'IST-1GMT0,M10.5.0,M3.5.0/1',
  '<+00>0<+02>-2,M3.5.0/1,M10.5.0/3',
  'AAA0BBB,J60/0,J300/0',
  'AAA0BBB,59/0,299',
  'AAA-1BBB,J59,J60/1:30:15',
  'AAA4:30:15BBB3:15:30,60/3,J365/4',
  'AAA0BBB,M2.5.6/100,M9.5.0/-100',
  'AAA0BBB-0:30,M1.2.3/4:05:06,M12.4.5/7:08:09',
];

test.skipIf(!hasZdump)(
  'rules of every form change the clocks when glibc does, 1970–2170 (requires zdump)',
  async () => {
    const dumped = await dumpTzStrings(TZ_STRINGS, 1970, 2170);
    for (const [tz, changes] of dumped) {
      const footer = parsePosixTz(tz);
      const timeline = new Timeline({ transitions: new Float64Array(0), types: [footer.standard], footer });
      const ours: [number, number, string][] = [];
      let period = timeline.periodAt(seconds('1970-01-01'));
      while (period.untilEpochSeconds < seconds('2170-01-01')) {
        period = timeline.periodAt(period.untilEpochSeconds);
        ours.push([period.fromEpochSeconds, period.offsetSeconds, period.abbreviation]);
      }
      const theirs = changes.map(({ after }): [number, number, string] => [
        after.epochSeconds,
        after.offsetSeconds,
        after.abbreviation,
      ]);
      expect({ tz, changes: ours }).toEqual({ tz, changes: theirs });
      expect(theirs.length).toBeGreaterThan(390);
    }
  },
);
