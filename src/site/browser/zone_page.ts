import { placeName } from '../planner/load_plan.ts';
import { longDate, make, one, write } from './page.ts';
import { searchPlaces } from './place_search.ts';
import { followServer } from './server_time.ts';

const SECOND_MS = 1000;
/** The language of server-rendered dates. Visitors who prefer it need no `Intl`, whose first use takes long. */
const LANGUAGE_OF_SERVER = 'en-US';

/** Runs the local time and countdowns of a zone page, and reloads it when the clock changes. */
export function runZonePage(root: HTMLElement): void {
  const offsetMs = Number(one(root, '[data-local-time]').dataset['offset']) * SECOND_MS;
  const localTexts = (epochMs: number) =>
    new Date(epochMs + offsetMs).toISOString().split(/T|\./) as [date: string, time: string];
  const drawnMs = Number(root.dataset['now']);
  let [shownDate] = localTexts(drawnMs);
  if (navigator.language !== LANGUAGE_OF_SERVER) {
    shownDate = '';
    for (const time of root.querySelectorAll<HTMLElement>('[data-date]')) {
      time.textContent = longDate().format(Number(time.dataset['date']));
    }
  }
  const countdowns = [...root.querySelectorAll<HTMLElement>('[data-countdown]')].map(element => ({
    element,
    epochMs: Number(element.dataset['countdown']),
  }));
  let shownMs = Number.POSITIVE_INFINITY;

  followServer([zoneOfPage()], nowMs => {
    const [date, time] = localTexts(nowMs);
    write(root, '[data-local-time] time', time);
    if (date !== shownDate) write(root, '[data-local-time] span', longDate().format(Date.parse(date)));
    shownDate = date;
    for (const { element, epochMs } of countdowns) {
      // A change that the page already shows as past, or that the device's clock passed too early, is no reason.
      if (epochMs > Math.max(drawnMs, shownMs) && epochMs <= nowMs) location.reload();
      element.textContent = countdownText(epochMs - nowMs);
    }
    shownMs = nowMs;
  });
  void nameFound(root);
}

const zoneOfPage = () => location.pathname.slice('/zone/'.length);

/** Shows the place that led here, if it is in this zone. */
async function nameFound(root: HTMLElement): Promise<void> {
  const typed = new URLSearchParams(location.search).get('place') ?? '';
  const [place] = await searchPlaces(typed);
  const title = one(root, 'h1');
  if (place === undefined || place.timezone !== zoneOfPage() || place.name === title.textContent) return;
  title.after(make('p', 'lead', `The time in ${placeName(place)}, is that of ${title.textContent}.`));
}

/** `in 27 days 3 h 12 min 5 s`; without seconds if it is in the past. */
function countdownText(distanceMs: number): string {
  const seconds = Math.floor(Math.abs(distanceMs) / SECOND_MS);
  const days = Math.floor(seconds / 86_400);
  const [hours, minutes] = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  const text = `${days} ${days === 1 ? 'day' : 'days'} ${hours} h ${minutes} min`;
  return distanceMs > 0 ? `in ${text} ${seconds % 60} s` : `${text} ago`;
}
