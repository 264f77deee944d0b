import { Html } from '@elysiajs/html';
import { dayNumberOf, SECONDS_PER_DAY } from '../../common/civil.ts';
import { formatOffset } from '../../common/iso_text.ts';
import type { Moment } from '../../common/moment.ts';
import type { ZonePeriod } from '../../zones/timeline.ts';
import type { Zone } from '../../zones/zone.ts';

const FIRST_YEAR = 1970;
const SECONDS_PER_HOUR = 3600;
/** The drawing's size in its own units; it is stretched to fit the page. */
const [WIDTH, HEIGHT] = [1000, 100];
/** The maximum number of offset labels. */
const MAX_LABELS = 7;

/** The offsets of a zone from 1970 to the end of this decade; offsets ahead of standard time are shaded. */
export function offsetChart(zone: Zone, { year, epochMs }: Moment): JSX.Element {
  const lastYear = Math.ceil((year + 1) / 10) * 10;
  const [from, until] = [yearStart(FIRST_YEAR), yearStart(lastYear)];
  const periods = periodsBetween(zone, from, until);
  const { labels, low, high } = scaleOf(periods.map(({ offsetSeconds }) => offsetSeconds));
  const x = (epochSeconds: number) =>
    rounded(((Math.min(until, Math.max(from, epochSeconds)) - from) / (until - from)) * WIDTH);
  const y = (offsetSeconds: number) => rounded(((high - offsetSeconds) / (high - low)) * HEIGHT);
  const line = periods.map(period => `V${y(period.offsetSeconds)}H${x(period.untilEpochSeconds)}`).join('');
  const daylight = periods
    .filter(({ isDst }) => isDst)
    .map(({ fromEpochSeconds, untilEpochSeconds }) => {
      const start = x(fromEpochSeconds);
      return `M${start} 0H${x(untilEpochSeconds)}V${HEIGHT}H${start}z`;
    });
  const decades = Array.from({ length: (lastYear - FIRST_YEAR) / 10 + 1 }, (_, at) => FIRST_YEAR + at * 10);
  return (
    <figure class="offset-chart">
      <div class="chart-offsets" aria-hidden="true">
        {labels.map(offset => (
          <span>{formatOffset(offset)}</span>
        ))}
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summaryOf(periods, year, lastYear)}
      >
        <path class="chart-grid" d={labels.map(offset => `M0 ${y(offset)}H${WIDTH}`).join('')} />
        <path class="chart-daylight" d={daylight.join('')} />
        <path class="chart-line" d={`M0 ${y(periods[0]!.offsetSeconds)}${line}`} />
        <path class="chart-now" d={`M${x(epochMs / 1000)} 0V${HEIGHT}`} />
      </svg>
      <div class="chart-years" aria-hidden="true">
        {decades.map(decade => (
          <span>{String(decade)}</span>
        ))}
      </div>
    </figure>
  );
}

function periodsBetween(zone: Zone, from: number, until: number): ZonePeriod[] {
  const periods = [zone.periodAt(from)];
  for (;;) {
    const next = zone.periodAfter(periods.at(-1)!);
    if (next === null || next.fromEpochSeconds >= until) return periods;
    periods.push(next);
  }
}

/** Labels at equal intervals of whole hours that cover all offsets, highest first. */
function scaleOf(offsets: readonly number[]) {
  const lowHour = Math.floor(Math.min(...offsets) / SECONDS_PER_HOUR) - 1;
  const highHour = Math.ceil(Math.max(...offsets) / SECONDS_PER_HOUR) + 1;
  const step = Math.ceil((highHour - lowHour) / (MAX_LABELS - 1));
  const last = Math.ceil((highHour - lowHour) / step);
  const labels = Array.from(
    { length: last + 1 },
    (_, at) => (lowHour + (last - at) * step) * SECONDS_PER_HOUR,
  );
  return { labels, high: labels[0]!, low: labels.at(-1)! };
}

function summaryOf(periods: readonly ZonePeriod[], year: number, lastYear: number): string {
  const offsets = [...new Set(periods.map(({ offsetSeconds }) => offsetSeconds))].sort((a, b) => a - b);
  const daylightStarts = periods
    .filter(({ isDst }) => isDst)
    .map(({ fromEpochSeconds }) => Math.floor(fromEpochSeconds / (365.2425 * SECONDS_PER_DAY)) + 1970);
  const daylightYears = new Set(daylightStarts.filter(start => start <= year)).size;
  const daylight =
    daylightYears === 0 ? 'no daylight saving time' : `daylight saving time in ${daylightYears} years`;
  return `Offsets from ${FIRST_YEAR} to ${lastYear}: ${offsets.map(formatOffset).join(', ')}; ${daylight}.`;
}

function yearStart(year: number): number {
  return dayNumberOf(year, 1, 1) * SECONDS_PER_DAY;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
