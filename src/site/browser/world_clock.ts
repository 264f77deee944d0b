import { visitorsZone } from '../../clock/browser/local_offset.ts';
import { CLOCK_PATH, nameOfZone } from '../../clock/clock_config.ts';
import { once } from '../../common/caching.ts';
import { offsetText } from '../time_texts.ts';
import { clockOf, getText, hasAccess, longDate, one, write } from './page.ts';
import { followServer } from './server_time.ts';

/** A row of the table, with its UTC offset once known. */
interface Row {
  readonly zone: string;
  readonly element: HTMLElement;
  offsetMs: number | undefined;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;
/** Smaller differences are due to the network. */
const AGREEMENT_MS = 100;

/** Runs the world clock, which shows only the server's time. */
export function runWorldClock(root: HTMLElement): void {
  const rows = rowsOf(root);
  const own = rows.find(({ element }) => element.classList.contains('here'));
  let isSynchronised = false;
  /** The quarter hour for which dates are shown: midnight and clock changes are at its start. */
  let datedQuarter: number | undefined;

  const show = (nowMs: number) => {
    if (!isSynchronised) return;
    const localMs = nowMs + (own?.offsetMs ?? 0);
    write(root, '.now-place', own?.offsetMs === undefined ? 'UTC' : one(own.element, 'th').textContent);
    write(root, '.now-time', new Date(localMs).toISOString().slice(11, 19));
    for (const row of rows) showRow(row, nowMs);
    const quarter = Math.floor(nowMs / QUARTER_MS);
    if (quarter === datedQuarter) return;
    datedQuarter = quarter;
    // In separate tasks, since the first formatting on a page blocks a phone for long.
    setTimeout(() => write(root, '.now-date', longDate().format(localMs)));
    setTimeout(() => {
      for (const row of rows) showWeekday(row, nowMs);
    });
  };

  const drawOwn = () => drawClock(one(root, '[data-own-clock]'), own?.zone ?? 'UTC');
  document.addEventListener('meridian:key', drawOwn);
  drawOwn();
  const zones = rows.map(({ zone }) => zone);
  followServer(zones, show, (times, tripMs, nowMs) => {
    for (const [index, time] of times.entries()) {
      if ('error' in time) continue;
      const localMs = Date.parse(`${time.iso_local.slice(0, 19)}Z`);
      rows[index]!.offsetMs = localMs - Math.floor(time.unix_ms / SECOND_MS) * SECOND_MS;
    }
    write(root, '[data-drift]', driftText(Date.now() - nowMs, tripMs));
    isSynchronised = true;
    datedQuarter = undefined;
  });
}

const OWN_STYLE = 'analog-station';

/** Shows the visitor's time with a clock from this server; if that fails, the digital time next to it is enough. */
function drawClock(place: HTMLElement, zone: string): void {
  if (!hasAccess()) return;
  const clock = getText(`${CLOCK_PATH}?style=${OWN_STYLE}&tz=${encodeURIComponent(zone)}`);
  clock.then(html => place.replaceChildren(clockOf(html))).catch(() => undefined);
}

/** The rows of the page, and one for the visitor's zone. */
function rowsOf(root: HTMLElement): Row[] {
  const rows = [...root.querySelectorAll<HTMLElement>('tr[data-zone]')].map(element => ({
    zone: element.dataset['zone']!,
    element,
    offsetMs: undefined,
  }));
  const here = visitorsZone();
  const known = rows.find(({ zone }) => zone === here);
  if (known) known.element.classList.add('here');
  if (known || !here.includes('/')) return rows;
  const element = rows[0]!.element.cloneNode(true) as HTMLElement;
  element.dataset['zone'] = here;
  element.classList.add('here');
  write(element, 'th', nameOfZone(here));
  one(root, 'tbody').prepend(element);
  return [{ zone: here, element, offsetMs: undefined }, ...rows];
}

const weekday = once(() => new Intl.DateTimeFormat(undefined, { weekday: 'short', timeZone: 'UTC' }));

function showRow({ element, offsetMs }: Row, nowMs: number): void {
  if (offsetMs === undefined) return;
  const localMs = nowMs + offsetMs;
  write(element, '.world-time', new Date(localMs).toISOString().slice(11, 16));
  write(element, '.world-offset', offsetText(offsetMs / MINUTE_MS));
  one(element, '.mark').style.left = `${((localMs % DAY_MS) / DAY_MS) * 100}%`;
}

function showWeekday({ element, offsetMs }: Row, nowMs: number): void {
  if (offsetMs !== undefined) write(element, '.world-day', weekday().format(nowMs + offsetMs));
}

function driftText(driftMs: number, tripMs: number): string {
  if (Math.abs(driftMs) < AGREEMENT_MS + tripMs / 2) return "Your device's clock agrees with this server's.";
  const seconds = (Math.abs(driftMs) / SECOND_MS).toFixed(1);
  return `Your device's clock is ${seconds} s ${driftMs > 0 ? 'ahead of' : 'behind'} this server's.`;
}
