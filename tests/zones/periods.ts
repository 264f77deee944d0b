import { Timeline } from '../../src/zones/timeline.ts';
import { readTzif } from '../../src/zones/tzif.ts';
import { seconds } from './embedded_zones.ts';

/** All periods of a TZif file until the year 2500, one per line. */
export function periodsOf(file: Uint8Array): string {
  const timeline = new Timeline(readTzif(file));
  const lines: string[] = [];
  let period = timeline.periodAt(-8.64e12);
  while (period.untilEpochSeconds < seconds('2500-01-01')) {
    lines.push(Object.values(period).join(' '));
    period = timeline.periodAt(period.untilEpochSeconds);
  }
  return [...lines, Object.values(period).join(' ')].join('\n');
}
