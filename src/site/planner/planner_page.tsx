import { Html } from '@elysiajs/html';
import { endpointOf } from '../../api/endpoint.ts';
import type { Route } from '../../api/route.ts';
import { placesRoute } from '../../api/routes/places.ts';
import { convertRoute, currentRoute, transitionsRoute } from '../../api/routes/times.ts';
import { timezoneRoute } from '../../api/routes/timezones.ts';
import { workDaysRoute } from '../../api/routes/work.ts';
import { nextTurn } from '../../common/promises.ts';
import { Exchange } from '../../http/exchange.ts';
import { perSnapshot, type Server } from '../../http/snapshot.ts';
import { assetUrl, drawnInTurns, type FrameInput, layout } from '../layout.tsx';
import { DATE, Field, Submit, TYPED } from '../parts.tsx';
import { clockText } from '../time_texts.ts';
import { type GetJson, loadPlan } from './load_plan.ts';
import {
  CURSOR_STEP_MINUTES,
  LENGTHS_MINUTES,
  MAX_PLACES,
  MINUTE_MS,
  PLANNER_PATH,
  type Plan,
  type PlanState,
  parsePlan,
  planUrl,
} from './plan.ts';
import { cursorText, dayHeading, PlanTexts, planRow, planView } from './plan_view.tsx';

/** The texts of the page until its script applies the visitor's language. */
const textsOf = perSnapshot(
  ({ languages }) => new PlanTexts('en-GB', code => languages.placeNamesOf('en-GB')?.get(code)),
);

/** Returns a function that renders the planner. With API keys only the frame is rendered, and the script loads the rest. */
export function openPlanner(server: Server) {
  const routes: readonly Route[] = [
    ...[convertRoute, currentRoute, placesRoute, timezoneRoute, transitionsRoute, workDaysRoute],
  ];
  const endpoints = new Map(routes.map(route => [route.path, endpointOf(route, server)]));
  const respond: GetJson = async request => {
    const exchange = new Exchange(new Request(`http://localhost${request}`), server, () => '');
    const endpoint = endpoints.get(new URL(exchange.request.url).pathname);
    if (endpoint === undefined) throw new Error(`The planner has no route for ${request}`);
    return (await endpoint.handle(exchange)).json();
  };
  return async (url: string, input: FrameInput): Promise<string> => {
    const state = parsePlan(new URL(url).searchParams);
    const texts = textsOf(server.snapshot());
    if (input.isKeyed) return plannerPage(state, null, [], texts, input);
    const plan = await loadPlan(state, oneByOne(respond), 'en');
    const rows = await drawnInTurns(plan.rows.map((_, index) => () => planRow(plan, index, texts)));
    return plannerPage(state, plan, rows, texts, input);
  };
}

/** Runs concurrent requests one after another: ten places take milliseconds, and other requests get a turn in between. */
function oneByOne(get: GetJson): GetJson {
  let last: Promise<unknown> = Promise.resolve();
  return request => {
    const response = last.then(() => nextTurn()).then(() => get(request));
    last = response.catch(() => {});
    return response;
  };
}

function plannerPage(
  state: PlanState,
  plan: Plan | null,
  rows: string[],
  texts: PlanTexts,
  input: FrameInput,
): string {
  return layout(
    {
      path: PLANNER_PATH,
      title: 'Planner · meridian',
      description: 'Find a meeting time across several places, with daylight, working hours and holidays',
      elements: <script type="module" src={assetUrl('/assets/planner.js')} />,
    },
    input,
    <main id="content" class="planner" data-planner>
      <header>
        <h1>Planner</h1>
        <p class="lead">
          Find a time that suits everyone: daylight, working hours, holidays and clock changes in each place.
        </p>
      </header>
      <PlanForm state={state} plan={plan} />
      <div class="plan-day" data-plan-day>
        {plan !== null && dayHeading(plan, texts)}
      </div>
      <CursorField state={state} plan={plan} texts={texts} />
      <div data-plan>
        {plan === null ? (
          <p class="status">Enter an API key in the field at the top to load the plan.</p>
        ) : (
          planView(plan, texts, rows)
        )}
      </div>
      <p class="status" role="status" data-plan-status></p>
      <p class="plan-export">
        <button class="button" type="button" data-plan-export>
          Save the meeting (.ics)
        </button>
        <button class="quiet" type="button" data-plan-link>
          Copy a link to this plan
        </button>
      </p>
    </main>,
  );
}

/** The form for a plan. Without scripts, its button requests the page. */
function PlanForm({ state, plan }: { state: PlanState; plan: Plan | null }): JSX.Element {
  const { places, lengthMinutes, workStartMinutes, workEndMinutes } = state;
  return (
    <form class="plan-form" id="plan-form" action={PLANNER_PATH} data-plan-form>
      {places.map(place => (
        <input type="hidden" name="place" value={Html.escapeHtml(place)} />
      ))}
      <PlanField
        {...TYPED}
        class="plan-field plan-add"
        name="place"
        label="Add a place"
        placeholder="City or zone"
        disabled={places.length >= MAX_PLACES}
      />
      <PlanField {...DATE} name="date" label="Date" value={state.date ?? plan?.date ?? ''} />
      <p class="plan-field">
        <label for="plan-length">Length</label>
        <select id="plan-length" name="length">
          {LENGTHS_MINUTES.map(minutes => (
            <option value={String(minutes)} selected={minutes === lengthMinutes}>
              {minutes < 60 ? `${minutes} min` : `${minutes / 60} h`}
            </option>
          ))}
        </select>
      </p>
      <PlanField name="from" label="Work from" type="time" required value={clockText(workStartMinutes)} />
      <PlanField name="to" label="Work until" type="time" required value={clockText(workEndMinutes)} />
      <p class="actions plan-show">
        <Submit label="Show" />
        <a href={planUrl({ ...state, date: null })}>Today</a>
      </p>
    </form>
  );
}

function PlanField(props: JSX.HtmlInputTag & { name: string; label: string }): JSX.Element {
  return <Field tag="p" class="plan-field" {...props} id={`plan-${props.name}`} />;
}

/** The cursor for all rows. It belongs to the form, but is directly above the strips. */
function CursorField(props: { state: PlanState; plan: Plan | null; texts: PlanTexts }): JSX.Element {
  const { state, plan, texts } = props;
  const dayMinutes = plan === null ? 24 * 60 : (plan.endMs - plan.startMs) / MINUTE_MS;
  return (
    <p class="plan-cursor">
      <label for="plan-cursor" class="unseen">
        Time of the meeting
      </label>
      <input
        id="plan-cursor"
        name="at"
        form="plan-form"
        type="range"
        min="0"
        max={String(dayMinutes - CURSOR_STEP_MINUTES)}
        step={String(CURSOR_STEP_MINUTES)}
        value={String(state.cursorMinutes)}
        aria-valuetext={plan === null ? undefined : cursorText(plan, texts)}
      />
    </p>
  );
}
