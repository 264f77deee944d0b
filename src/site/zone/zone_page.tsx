import { Html } from '@elysiajs/html';
import { newClockId } from '../../api/routes/clock.ts';
import { ASSET_PATHS } from '../../clock/clock_config.ts';
import { clock } from '../../clock/fragment.tsx';
import { formatOffset, utcText } from '../../common/iso_text.ts';
import { Moment } from '../../common/moment.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { clockConfig } from '../../operations/clock.ts';
import { zoneTarget } from '../../operations/target.ts';
import { MONTHS_FULL, WEEKDAYS_FULL } from '../../text/languages.ts';
import { momentAt } from '../../text/time_payload.ts';
import type { OffsetChange } from '../../zones/offset_changes.ts';
import type { Zone, ZoneTransition } from '../../zones/zone.ts';
import { drawnInTurns, type FrameInput, layout } from '../layout.tsx';
import { OffsetChart } from './offset_chart.tsx';
import { minutesText, type ReleaseNews, ruleSentences } from './zone_texts.ts';

interface ZonePageInput extends FrameInput {
  readonly zone: Zone;
  /** Changes to the zone in recent tzdata releases, newest first. */
  readonly news: readonly ReleaseNews[];
  /** The present, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly nowMs: number;
  /** The working days and holidays of its country in the current year. */
  readonly days: string;
}

/**
 * A zone: its clock, clock changes, rules, names, and the working days of its country. Other requests are served between
 * these parts, since rendering takes some milliseconds.
 */
export async function zonePage(input: ZonePageInput): Promise<string> {
  const { zone, snapshot, nowMs, news, days } = input;
  const moment = momentAt(nowMs, zoneTarget(zone));
  const epochSeconds = Math.floor(nowMs / 1000);
  const [head, changes, rules, chart, names, recent] = await drawnInTurns([
    () => <Head zone={zone} snapshot={snapshot} moment={moment} />,
    () => <Changes zone={zone} nowMs={nowMs} />,
    () => <Rules zone={zone} />,
    () => <OffsetChart zone={zone} moment={moment} />,
    () => <Names zone={zone} snapshot={snapshot} epochSeconds={epochSeconds} />,
    () => <News news={news} />,
  ]);
  return layout(
    {
      path: `/zone/${zone.name}`,
      title: `${placeName(zone)} time · meridian`,
      description: `The time in ${zone.name}, its clock changes, rules, names and holidays`,
      elements: (
        <>
          <link rel="stylesheet" href={ASSET_PATHS.stylesheet} />
          <script async src={ASSET_PATHS.script} />
        </>
      ),
    },
    input,
    <main id="content" class="zone" data-zone-page data-now={String(nowMs)}>
      {head}
      <section class="changes" aria-labelledby="changes-title">
        <h2 id="changes-title">Clock changes</h2>
        {changes}
      </section>
      <section aria-labelledby="rules-title">
        <h2 id="rules-title">Rules</h2>
        {rules}
        {chart}
      </section>
      <section aria-labelledby="days-title">
        <h2 id="days-title">{`Working days and holidays in ${moment.year}`}</h2>
        {days}
      </section>
      <section aria-labelledby="names-title">
        <h2 id="names-title">Names</h2>
        {names}
      </section>
      <section aria-labelledby="news-title">
        <h2 id="news-title">Changes in recent tzdata</h2>
        {recent}
      </section>
    </main>,
  );
}

function Head(props: { zone: Zone; snapshot: Snapshot; moment: Moment }): JSX.Element {
  const { zone, snapshot, moment } = props;
  const country = snapshot.zones.countryNames.get(zone.countryCodes[0] ?? '');
  return (
    <header class="zone-head">
      <div>
        <p class="zone-path">
          <a href="/map">Map</a> <span safe>{country ?? 'No country'}</span>
        </p>
        <h1 safe>{placeName(zone)}</h1>
        <p class="lead">
          <code safe>{zone.name}</code>
          {zone.name !== zone.canonicalName && (
            <>
              {' '}
              is another name of <ZoneLink name={zone.canonicalName} />
            </>
          )}
        </p>
        <Now zone={zone} moment={moment} />
      </div>
      <div class="zone-clock">{clockOf(zone, moment)}</div>
    </header>
  );
}

function Changes({ zone, nowMs }: { zone: Zone; nowMs: number }): JSX.Element {
  const epochSeconds = Math.floor(nowMs / 1000);
  return (
    <>
      <Change title="Next" change={zone.nextTransition(epochSeconds)} nowMs={nowMs} />
      <Change title="Previous" change={zone.previousTransition(epochSeconds)} nowMs={nowMs} />
    </>
  );
}

/** The last part of a zone's name, in words. */
export function placeName({ name }: Pick<Zone, 'name'>): string {
  return name.slice(name.lastIndexOf('/') + 1).replaceAll('_', ' ');
}

export function ZoneLink({ name }: { name: string }): JSX.Element {
  return (
    <a href={`/zone/${name}`} safe>
      {name}
    </a>
  );
}

function clockOf(zone: Zone, moment: Moment): string {
  const request = {
    style: 'analog-station',
    target: zoneTarget(zone),
    selector: { kind: 'tz', tz: zone.name },
  } as const;
  const config = clockConfig({ ...request, format: null, isPinned: false, publicUrl: '' }, moment);
  return clock(config, moment, newClockId());
}

function Now({ zone, moment }: { zone: Zone; moment: Moment }): JSX.Element {
  const { isDst } = zone.periodAt(Math.floor(moment.epochMs / 1000));
  return (
    <dl class="zone-now">
      <div>
        <dt>Local time</dt>
        <dd data-local-time data-offset={String(moment.offsetSeconds)}>
          <time datetime={utcText(moment.epochMs)}>{timeText(moment)}</time> <span>{dateText(moment)}</span>
        </dd>
      </div>
      <div>
        <dt>Offset</dt>
        <dd data-zone-offset>{`UTC${formatOffset(moment.offsetSeconds)}`}</dd>
      </div>
      <div>
        <dt>Abbreviation</dt>
        <dd data-zone-abbreviation safe>
          {moment.abbreviation}
        </dd>
      </div>
      <div>
        <dt>Daylight saving time</dt>
        <dd data-zone-dst>{isDst ? 'in force' : 'not in force'}</dd>
      </div>
    </dl>
  );
}

/** A clock change: its date, local time before and after, and distance in days. */
function Change(props: { title: string; change: ZoneTransition | null; nowMs: number }): JSX.Element {
  const { title, change, nowMs } = props;
  if (change === null) {
    return (
      <article class="change">
        <h3>{title}</h3>
        <p>None known.</p>
      </article>
    );
  }
  const { epochSeconds, before, after } = change;
  const by = after.offsetSeconds - before.offsetSeconds;
  const [until, from] = [before, after].map(
    ({ offsetSeconds, abbreviation }) => new Moment(epochSeconds * 1000, offsetSeconds, abbreviation),
  ) as [Moment, Moment];
  const step =
    by === 0
      ? 'stay, and the season changes'
      : `go ${by > 0 ? 'forward' : 'back'} by ${minutesText(Math.abs(by))}`;
  return (
    <article class="change" data-change={title.toLowerCase()}>
      <h3>{title}</h3>
      <p class="change-date">
        <time datetime={utcText(epochSeconds * 1000)} data-date={String(until.dayNumber * DAY_MS)}>
          {dateText(until)}
        </time>
      </p>
      <p>
        {`Clocks ${step}: `}
        <b>{timeText(until)}</b> <span safe>{before.abbreviation}</span> becomes <b>{timeText(from)}</b>{' '}
        <span safe>{after.abbreviation}</span>.
      </p>
      <p class="countdown" data-countdown={String(epochSeconds * 1000)}>
        {distanceText(epochSeconds * 1000 - nowMs)}
      </p>
    </article>
  );
}

const DAY_MS = 86_400_000;

/** A distance in time: `in 27 days`, `194 days ago`, `within a day`. */
function distanceText(distanceMs: number): string {
  const days = Math.floor(Math.abs(distanceMs) / DAY_MS);
  if (days === 0) return distanceMs > 0 ? 'within a day' : 'less than a day ago';
  const text = `${days.toLocaleString('en')} ${days === 1 ? 'day' : 'days'}`;
  return distanceMs > 0 ? `in ${text}` : `${text} ago`;
}

function Rules({ zone: { posixTz } }: { zone: Zone }): JSX.Element {
  if (posixTz === null) return <p>The data contains no rule for the future.</p>;
  return (
    <>
      <ul class="rules">
        {ruleSentences(posixTz).map(sentence => (
          <li safe>{sentence}</li>
        ))}
      </ul>
      <p>
        As a POSIX TZ string: <code safe>{posixTz}</code>
      </p>
    </>
  );
}

const SECONDS_PER_YEAR = 366 * 86_400;

function Names(props: { zone: Zone; snapshot: Snapshot; epochSeconds: number }): JSX.Element {
  const { zone, snapshot, epochSeconds } = props;
  const names = snapshot.zones.namesOf(zone.canonicalName);
  const others = names.filter(name => name !== zone.name);
  const coming = zone
    .transitionsBetween(epochSeconds, epochSeconds + SECONDS_PER_YEAR)
    .map(({ after }) => after);
  const abbreviations = [zone.periodAt(epochSeconds), ...coming].map(({ abbreviation }) => abbreviation);
  const rows = {
    Country: zone.countryCodes.map(code => `${snapshot.zones.countryNames.get(code)} (${code})`),
    'Abbreviations in use': [...new Set(abbreviations)],
    'Windows names': snapshot.windows.namesOf(names),
  };
  return (
    <dl class="zone-names">
      {Object.entries(rows).map(([term, values]) => (
        <div>
          <dt>{term}</dt>
          <dd safe>{values.join(', ') || 'none'}</dd>
        </div>
      ))}
      <div>
        <dt>Other names in tzdata</dt>
        <dd>{others.length === 0 ? 'none' : others.map(name => <ZoneLink name={name} />).join(', ')}</dd>
      </div>
    </dl>
  );
}

/** Maximum spans listed per release: corrections to the past can have one for each year. */
const MAX_SPANS = 3;

function News({ news }: { news: readonly ReleaseNews[] }): JSX.Element {
  if (news.length === 0) return <p>Releases in recent years have not changed this zone's offsets.</p>;
  return (
    <dl class="news">
      {news.map(({ version, released, changes }) => (
        <div>
          <dt>
            {version} <time datetime={released}>{released}</time>
          </dt>
          {changes.slice(0, MAX_SPANS).map(change => (
            <dd>{spanText(change)}</dd>
          ))}
          {changes.length > MAX_SPANS && <dd>{`and ${changes.length - MAX_SPANS} more periods`}</dd>}
        </div>
      ))}
    </dl>
  );
}

function spanText(change: OffsetChange): string {
  const { fromEpochSeconds, untilEpochSeconds, oldOffsetSeconds, newOffsetSeconds } = change;
  const from = Number.isFinite(fromEpochSeconds) ? `From ${utcDate(fromEpochSeconds)}` : 'From the beginning';
  const until = Number.isFinite(untilEpochSeconds) ? ` until ${utcDate(untilEpochSeconds)}` : '';
  return `${from}${until}: UTC${formatOffset(newOffsetSeconds)} instead of UTC${formatOffset(oldOffsetSeconds)}`;
}

function utcDate(epochSeconds: number): string {
  return utcText(epochSeconds * 1000).slice(0, -'T00:00:00Z'.length);
}

/** `Sunday, October 25, 2026` */
function dateText({ weekday, month, day, year }: Moment): string {
  return `${WEEKDAYS_FULL[weekday]}, ${MONTHS_FULL[month - 1]} ${day}, ${year}`;
}

function timeText({ hour, minute, second }: Moment): string {
  return [hour, minute, ...(second === 0 ? [] : [second])].map(twoDigits).join(':');
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
