import { Html } from '@elysiajs/html';
import {
  type Representation,
  representationResponse,
  representLater,
} from '../../api/assets/representation.ts';
import { requiresKeys } from '../../api/description/openapi.ts';
import { nameOfZone } from '../../clock/clock_config.ts';
import { BoundedCache } from '../../common/caching.ts';
import { didYouMean, quoted, ServiceError } from '../../common/errors.ts';
import { formatOffset, localText, utcText } from '../../common/iso_text.ts';
import { Moment } from '../../common/moment.ts';
import { onceSettled, whenReady } from '../../common/promises.ts';
import { type Exchange, pathnameOf } from '../../http/exchange.ts';
import { perSnapshot, type Server, type Snapshot } from '../../http/snapshot.ts';
import type { OffsetChange } from '../../operations/release_changes.ts';
import { zoneTarget } from '../../operations/target.ts';
import { compileStrftime } from '../../text/strftime.ts';
import { momentAt } from '../../text/time_payload.ts';
import type { Zone, ZoneTransition } from '../../zones/zone.ts';
import type { ZoneDatabase } from '../../zones/zone_database.ts';
import { drawnInTurns, type FrameInput, layout } from '../layout.tsx';
import { CLOCK_ASSETS, clockIn, Link, Section } from '../parts.tsx';
import { PAGE_HEADERS } from '../site_paths.ts';
import { offsetChart } from './offset_chart.tsx';
import { yearCalendar } from './year_calendar.tsx';
import { minutesText, type ReleaseNews, releaseNews, ruleSentences } from './zone_texts.ts';

/** Followed by any zone name. */
const PREFIX = '/zone/';
const HTML = 'text/html; charset=utf-8';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Half the maximum number of cached pages, each of about 70 KB with its compressed form. */
const CACHED_PAGES = 32;
/** Half the maximum number of cached country calendars, each of about 20 KB. */
const CACHED_CALENDARS = 64;

/** Returns a function that serves zone pages, which are rendered once a minute. */
export function openZonePages(server: Server) {
  const pages = perSnapshot(
    () => new BoundedCache<string, ReturnType<typeof onceSettled<Representation>>>(CACHED_PAGES),
  );
  const calendars = perSnapshot(() => new BoundedCache<string, Promise<string>>(CACHED_CALENDARS));

  async function page(zone: Zone, nowMs: number, frame: FrameInput): Promise<Representation> {
    const { snapshot } = frame;
    const news = (await releaseNews(snapshot)()).get(zone.canonicalName) ?? [];
    const days = await daysOf(zone, nowMs, snapshot);
    return representLater(await zonePage({ ...frame, zone, news, days, nowMs }), HTML);
  }

  /** The working days of a zone's country, which are shared by its zones and change only once a day. */
  async function daysOf(zone: Zone, nowMs: number, snapshot: Snapshot): Promise<string> {
    const country = snapshot.holidays.countries.find(({ code }) => code === zone.countryCodes[0]);
    if (country === undefined) return '<p>No holidays are known here.</p>';
    const today = localText(momentAt(nowMs, zoneTarget(zone))).slice(0, 'YYYY-MM-DD'.length);
    return calendars(snapshot).getOrInsertComputed(`${country.code} ${today}`, () =>
      yearCalendar(snapshot.holidays.calendarOf(country, null), today),
    );
  }

  return ({ request, requestId, snapshot }: Exchange): Response | Promise<Response> => {
    const name = pathnameOf(request.url).slice(PREFIX.length);
    const zone = findZone(name, snapshot.zones);
    if (zone.name !== name) {
      const headers = { ...PAGE_HEADERS, Location: PREFIX + zone.name, 'X-Request-Id': requestId };
      return new Response(null, { status: 301, headers });
    }
    const isKeyed = requiresKeys(server.access);
    const nowMs = Math.floor(server.now() / MINUTE_MS) * MINUTE_MS;
    const drawn = pages(snapshot).getOrInsertComputed(`${zone.name} ${nowMs} ${isKeyed}`, () =>
      onceSettled(() => page(zone, nowMs, { snapshot, isKeyed })),
    );
    const headers = { ...PAGE_HEADERS, 'Cache-Control': 'no-cache', 'X-Request-Id': requestId };
    return whenReady(drawn(), ready => representationResponse(request, ready, headers));
  };
}

function findZone(name: string, zones: ZoneDatabase): Zone {
  const zone = zones.find(name);
  if (zone !== undefined) return zone;
  const suggestions = zones.suggest(name);
  const advice = didYouMean(suggestions);
  throw new ServiceError('NOT_FOUND', `${quoted(name)} is not a zone of ${zones.title}${advice}`);
}

interface ZonePageInput extends FrameInput {
  readonly zone: Zone;
  /** Changes to the zone in recent tzdata releases, newest first. */
  readonly news: readonly ReleaseNews[];
  /** The present, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly nowMs: number;
  /** The working days and holidays of its country in the current year. */
  readonly days: string;
}

/** A zone: its clock, clock changes, rules, names and working days. Other requests are served between these parts. */
export async function zonePage(input: ZonePageInput): Promise<string> {
  const { zone, snapshot, nowMs, news, days } = input;
  const moment = momentAt(nowMs, zoneTarget(zone));
  const epochSeconds = Math.floor(nowMs / 1000);
  const [head, changes, rules, chart, names, recent] = await drawnInTurns([
    () => headOf(zone, snapshot, moment),
    () =>
      changeOf('Next', zone.nextTransition(epochSeconds), nowMs) +
      changeOf('Previous', zone.previousTransition(epochSeconds), nowMs),
    () => rulesOf(zone),
    () => offsetChart(zone, moment),
    () => namesOf(zone, snapshot, epochSeconds),
    () => newsOf(news),
  ]);
  const title = `${nameOfZone(zone.name)} time · meridian`;
  const description = `The time in ${zone.name}, its clock changes, rules, names and holidays`;
  return layout(
    { path: PREFIX + zone.name, title, description, elements: CLOCK_ASSETS },
    input,
    <main id="content" class="zone" data-zone-page data-now={String(nowMs)}>
      {head}
      <Section class="changes" id="changes" title="Clock changes">
        {changes}
      </Section>
      <Section id="rules" title="Rules">
        {rules}
        {chart}
      </Section>
      <Section id="days" title={`Working days and holidays in ${moment.year}`}>
        {days}
      </Section>
      <Section id="names" title="Names">
        {names}
      </Section>
      <Section id="news" title="Changes in recent tzdata">
        {recent}
      </Section>
    </main>,
  );
}

function headOf(zone: Zone, snapshot: Snapshot, moment: Moment): JSX.Element {
  const [code] = zone.countryCodes;
  return (
    <header class="zone-head">
      <div>
        <p class="zone-path">
          <a href="/map">Map</a>{' '}
          <span safe>{code === undefined ? 'No country' : countryName(code, snapshot)}</span>
        </p>
        <h1 safe>{nameOfZone(zone.name)}</h1>
        <p class="lead">
          <code safe>{zone.name}</code>
          {zone.name !== zone.canonicalName && (
            <>
              {' '}
              is another name of <ZoneLink name={zone.canonicalName} />
            </>
          )}
        </p>
        {nowOf(zone, moment)}
      </div>
      <div class="zone-clock">
        {clockIn('analog-station', zoneTarget(zone), { kind: 'tz', tz: zone.name }, moment)}
      </div>
    </header>
  );
}

/** CLDR's English name, or that of tzdata with an older pack of languages. */
function countryName(code: string, { languages, zones }: Snapshot): string {
  return languages.placeNamesOf('en')?.get(code) ?? zones.countryNames.get(code) ?? code;
}

function ZoneLink({ name }: { name: string }): JSX.Element {
  return <Link href={`/zone/${name}`} text={name} />;
}

/** A list of terms, each with its `dd` element. */
function Definitions(props: { class: string; entries: Record<string, JSX.Element> }): JSX.Element {
  return (
    <dl class={props.class}>
      {Object.entries(props.entries).map(([term, definition]) => (
        <div>
          <dt>{term}</dt>
          {definition}
        </div>
      ))}
    </dl>
  );
}

function nowOf(zone: Zone, moment: Moment): JSX.Element {
  const { epochMs, offsetSeconds, abbreviation } = moment;
  const { isDst } = zone.periodAt(Math.floor(epochMs / 1000));
  const entries = {
    'Local time': (
      <dd data-local-time data-offset={String(offsetSeconds)}>
        <time datetime={utcText(epochMs)}>{timeText(moment)}</time> <span>{LONG_DATE.format(moment)}</span>
      </dd>
    ),
    Offset: <dd data-zone-offset>{`UTC${formatOffset(offsetSeconds)}`}</dd>,
    Abbreviation: <dd data-zone-abbreviation>{Html.escapeHtml(abbreviation)}</dd>,
    'Daylight saving time': <dd data-zone-dst>{isDst ? 'in force' : 'not in force'}</dd>,
  };
  return <Definitions class="zone-now" entries={entries} />;
}

/** A clock change: its date, local time before and after, and distance in days. */
function changeOf(title: string, change: ZoneTransition | null, nowMs: number): string {
  const heading = <h3>{title}</h3>;
  if (change === null)
    return String(
      <article class="change">
        {heading}
        <p>None known.</p>
      </article>,
    );
  const { epochSeconds, before, after } = change;
  const by = after.offsetSeconds - before.offsetSeconds;
  const [until, from] = [before, after].map(
    ({ offsetSeconds, abbreviation }) => new Moment(epochSeconds * 1000, offsetSeconds, abbreviation),
  ) as [Moment, Moment];
  const step =
    by === 0
      ? 'stay, and the season changes'
      : `go ${by > 0 ? 'forward' : 'back'} by ${minutesText(Math.abs(by))}`;
  return String(
    <article class="change" data-change={title.toLowerCase()}>
      {heading}
      <p class="change-date">
        <time datetime={utcText(epochSeconds * 1000)} data-date={String(until.dayNumber * DAY_MS)}>
          {LONG_DATE.format(until)}
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
    </article>,
  );
}

/** A distance in time: `in 27 days`, `194 days ago`, `within a day`. */
function distanceText(distanceMs: number): string {
  const days = Math.floor(Math.abs(distanceMs) / DAY_MS);
  if (days === 0) return distanceMs > 0 ? 'within a day' : 'less than a day ago';
  const text = `${days.toLocaleString('en')} ${days === 1 ? 'day' : 'days'}`;
  return distanceMs > 0 ? `in ${text}` : `${text} ago`;
}

function rulesOf({ posixTz }: Zone): JSX.Element {
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

function namesOf(zone: Zone, snapshot: Snapshot, epochSeconds: number): JSX.Element {
  const names = snapshot.zones.namesOf(zone.canonicalName);
  const others = names.filter(name => name !== zone.name);
  const coming = zone.transitionsBetween(epochSeconds, epochSeconds + SECONDS_PER_YEAR);
  const periods = [zone.periodAt(epochSeconds), ...coming.map(({ after }) => after)];
  const abbreviations = periods.map(({ abbreviation }) => abbreviation);
  const listed = (values: readonly string[]) => <dd>{values.join(', ') || 'none'}</dd>;
  const escaped = (values: readonly string[]) => listed(values.map(value => Html.escapeHtml(value)));
  const entries = {
    Country: escaped(zone.countryCodes.map(code => `${countryName(code, snapshot)} (${code})`)),
    'Abbreviations in use': escaped([...new Set(abbreviations)]),
    'Windows names': escaped(snapshot.windows.namesOf(names)),
    'Other names in tzdata': listed(others.map(name => String(<ZoneLink name={name} />))),
  };
  return <Definitions class="zone-names" entries={entries} />;
}

/** Maximum spans listed per release: corrections to the past can have one for each year. */
const MAX_SPANS = 3;

function newsOf(news: readonly ReleaseNews[]): JSX.Element {
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
  return utcText(epochSeconds * 1000).slice(0, 'YYYY-MM-DD'.length);
}

/** `Sunday, October 25, 2026` */
const LONG_DATE = compileStrftime('%A, %B %-d, %Y', 'format');
const [MINUTES, SECONDS] = [compileStrftime('%H:%M', 'format'), compileStrftime('%H:%M:%S', 'format')];

function timeText(moment: Moment): string {
  return (moment.second === 0 ? MINUTES : SECONDS).format(moment);
}
