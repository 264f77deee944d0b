import { visitorsZone } from '../../clock/browser/local_offset.ts';
import { nameOfZone } from '../../clock/clock_config.ts';
import { type GetJson, loadPlan, placeName } from '../planner/load_plan.ts';
import {
  CURSOR_STEP_MINUTES,
  isShown,
  MINUTE_MS,
  PLANNER_PATH,
  type Plan,
  type PlanState,
  parsePlan,
  planUrl,
} from '../planner/plan.ts';
import { cursorText, dayHeading, meetingCalendar, PlanTexts, planView } from '../planner/plan_view.tsx';
import { attempt, copyText, fieldOf, getJson, hasAccess, one, write } from './page.ts';
import { suggestPlaces } from './place_search.ts';

const CACHED_RESPONSES = 200;
const REMEMBER_AFTER_MS = 300;

/** Runs the planner. The page's URL is the state: every change of the plan changes the URL, from which the plan is rendered. */
function runPlanner(root: HTMLElement): void {
  const form = one<HTMLFormElement>(root, '[data-plan-form]');
  const cursor = fieldOf(root, 'at');
  const place = one<HTMLInputElement>(form, '#plan-place');
  const day = one(root, '[data-plan-day]');
  const board = one(root, '[data-plan]');
  const countries = new Intl.DisplayNames(navigator.language, { type: 'region', style: 'short' });
  const texts = new PlanTexts(navigator.language, code => countries.of(code));
  const get = cachedGet();
  let plan: Plan | undefined;
  let moving: ReturnType<typeof setTimeout> | undefined;

  const show = (shown: Plan) => {
    plan = shown;
    const focused = (document.activeElement as HTMLElement | null)?.dataset['focus'];
    day.innerHTML = String(dayHeading(shown, texts));
    board.innerHTML = String(planView(shown, texts));
    if (focused !== undefined)
      root.querySelector<HTMLElement>(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
    cursor.max = String((shown.endMs - shown.startMs) / MINUTE_MS - CURSOR_STEP_MINUTES);
    cursor.value = String(shown.state.cursorMinutes);
    cursor.setAttribute('aria-valuetext', cursorText(shown, texts));
  };

  const load = async (state: PlanState) => {
    if (!hasAccess()) return;
    fieldOf(form, 'length').value = String(state.lengthMinutes);
    board.ariaBusy = 'true';
    const report = (text: string) => {
      write(root, '[data-plan-status]', text);
      board.ariaBusy = null;
    };
    await attempt(board, report, async isLatest => {
      const loaded = await loadPlan(state, get, navigator.language);
      if (!isLatest()) return;
      fieldOf(form, 'date').value = loaded.date;
      show(loaded);
      report(faultsOf(loaded));
    });
  };

  const go = (state: PlanState) => {
    history.pushState(null, '', planUrl(state));
    void load(state);
  };

  /** Moves the cursor, and updates the URL without a history entry. */
  const moveTo = (minutes: number) => {
    if (plan === undefined) return;
    const cursorMinutes = Math.max(0, Math.min(Number(cursor.max), minutes));
    if (cursorMinutes === plan.state.cursorMinutes) return;
    const state = { ...plan.state, cursorMinutes };
    show({ ...plan, state });
    // When the cursor stops moving, since browsers limit how often that may be done.
    clearTimeout(moving);
    moving = setTimeout(() => history.replaceState(null, '', planUrl(state)), REMEMBER_AFTER_MS);
  };

  form.addEventListener('change', ({ target }) => {
    if (target !== place && form.reportValidity()) go(stateOf(form, plan));
  });
  form.addEventListener('submit', event => {
    event.preventDefault();
    go(stateOf(form, plan));
    place.value = '';
  });
  cursor.addEventListener('input', () => moveTo(Number(cursor.value)));
  suggestPlaces(place, chosen => {
    place.value = placeName(chosen);
    form.requestSubmit();
  });
  root.addEventListener('click', event => {
    const link = (event.target as Element).closest<HTMLAnchorElement>(`a[href^="${PLANNER_PATH}?"]`);
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(parsePlan(new URL(link.href).searchParams));
  });
  followPointer(board, cursor, moveTo);
  addEventListener('popstate', () => void load(currentState()));
  document.addEventListener('meridian:key', () => void load(currentState()));
  offerExport(root, () => plan, texts);
  void load(currentState());
}

/** The state in the page's URL; without a query, begins with the visitor's own zone. */
function currentState(): PlanState {
  const state = parsePlan(new URLSearchParams(location.search));
  const here = visitorsZone();
  if (location.search !== '' || !here.includes('/')) return state;
  return { ...state, places: [here, ...state.places.filter(name => name !== nameOfZone(here))] };
}

function stateOf(form: HTMLFormElement, plan: Plan | undefined): PlanState {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) query.append(name, String(value));
  // The script's plan is newer than the page's hidden fields.
  if (plan !== undefined) {
    const added = query.getAll('place').at(-1) ?? '';
    query.delete('place');
    for (const name of [...plan.state.places, added]) query.append('place', name);
  }
  return parsePlan(query);
}

function faultsOf({ rows }: Plan): string {
  return rows.flatMap(row => (isShown(row) ? [] : [`${row.fault}.`])).join(' ');
}

/** Moves the cursor by pressing and dragging on a strip. */
function followPointer(board: HTMLElement, cursor: HTMLInputElement, moveTo: (minutes: number) => void) {
  const follow = (event: PointerEvent) => {
    const strip = (event.target as Element).closest('[data-strip]');
    if (strip === null || (event.buttons & 1) === 0) return;
    const { left, width } = strip.getBoundingClientRect();
    const dayMinutes = Number(cursor.max) + CURSOR_STEP_MINUTES;
    const minutes = ((event.clientX - left) / width) * dayMinutes;
    moveTo(Math.floor(minutes / CURSOR_STEP_MINUTES) * CURSOR_STEP_MINUTES);
  };
  board.addEventListener('pointerdown', follow);
  board.addEventListener('pointermove', follow);
}

function offerExport(root: HTMLElement, planNow: () => Plan | undefined, texts: PlanTexts): void {
  one(root, '[data-plan-export]').addEventListener('click', () => {
    const plan = planNow();
    if (plan === undefined) return;
    const text = meetingCalendar(plan, texts, location.origin, Date.now());
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/calendar' }));
    link.download = `meeting-${plan.date}.ics`;
    link.click();
    URL.revokeObjectURL(link.href);
  });
  const copy = one(root, '[data-plan-link]');
  copy.hidden = !isSecureContext; // only secure contexts have a clipboard
  copy.addEventListener('click', async () => {
    const plan = planNow();
    if (plan === undefined) return;
    await copyText(location.origin + planUrl({ ...plan.state, date: plan.date }), copy);
  });
}

/** Requests JSON, and caches responses that depend only on the request. */
function cachedGet(): GetJson {
  const cache = new Map<string, Promise<unknown>>();
  return request => {
    const cached = cache.get(request);
    if (cached !== undefined) return cached;
    const response = getJson(request);
    if (request.startsWith('/v1/time/current')) return response;
    if (cache.size >= CACHED_RESPONSES) cache.clear();
    cache.set(request, response);
    response.catch(() => cache.delete(request));
    return response;
  };
}

runPlanner(one(document, '[data-planner]'));
