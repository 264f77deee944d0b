import { Html } from '@elysiajs/html';
import {
  type Operation,
  operationsOf,
  type Parameter,
  type PlacedOperation,
} from '../api/description/document.ts';
import { EXAMPLE_NOW_MS } from '../api/description/openapi.ts';
import { nameOfZone } from '../clock/clock_config.ts';
import { STYLE_NAMES } from '../clock/styles/styles.ts';
import { Moment } from '../common/moment.ts';
import { compileStrftime } from '../text/strftime.ts';
import { layout, type PageInput } from './layout.tsx';
import {
  DATE,
  examplesOf,
  Field,
  JsonBlock,
  Link,
  Prose,
  RequestLine,
  Section,
  Submit,
  TYPED,
} from './parts.tsx';

/** The start page: an introduction, the world clock and the playground. */
export function startPage(input: PageInput): string {
  const { document, snapshot } = input;
  const routes = operationsOf(document).filter(({ method }) => method === 'GET');
  return layout(
    { path: '/', title: 'meridian · the time anywhere, over HTTP', description: document.info.summary },
    input,
    <main id="content">
      <section class="hero">
        <div>
          <h1>The time anywhere, over HTTP</h1>
          <p class="lead">
            Local time, clock changes, holidays and working time for any zone, place, IP address or
            coordinates: one GET request, one JSON response.
          </p>
          <ul class="reasons">
            <li>
              <b>One file, offline.</b> Zones, boundaries, places, IP data and holidays are built in; no
              request leaves your network.
            </li>
            <li>
              <b>Current data.</b> tzdata <span safe>{snapshot.zones.version}</span>, every release since
              2016, and the public holidays of {String(snapshot.holidays.countries.length)} countries and
              territories.
            </li>
            <li>
              <b>Verifiable.</b> Any response can be signed with Ed25519 and verified by anyone; try it below
              with <code>sign</code>.
            </li>
          </ul>
          <FindForm />
          <p class="ways">
            <a href="#try">Try the API</a>
            <a href="/planner">Plan a meeting</a>
            <a href="/clocks">{String(STYLE_NAMES.length)} clocks for your page</a>
          </p>
        </div>
        <WorldClock isKeyed={input.isKeyed} maxBulk={snapshot.maxBulk} />
      </section>
      <section class="try" id="try" aria-labelledby="try-title">
        <header>
          <h2 id="try-title">Try it</h2>
          <p>
            {String(routes.length)} tasks, each a GET request. Start with an example, or fill in your own.
          </p>
        </header>
        <Playground routes={routes} />
      </section>
      <Section class="links" id="links" title="More on this server">
        <ul>
          {LINKS.map(([path, name, purpose]) => (
            <li>
              <a href={path}>{name}</a> <span>{purpose}</span>
            </li>
          ))}
          <li>
            <a href="/healthz">Health</a> and <a href="/readyz">readiness</a>{' '}
            <span>is the server running and ready</span>
          </li>
        </ul>
      </Section>
    </main>,
  );
}

const LINKS = [
  ['/planner', 'Planner', 'find a time for several places'],
  ['/map', 'Map', 'find the zone of a location'],
  ['/docs', 'Reference', 'routes, parameters, responses, errors, patterns'],
  ['/clocks', 'Clocks', 'for your pages'],
  ['/openapi.json', 'OpenAPI 3.1', 'generate a client from it'],
] as const;

/** Leads to the page of a place's zone, or to the planner for several places or a date. Works without scripts. */
function FindForm(): JSX.Element {
  return (
    <form class="find" action="/find" data-find>
      <Field
        {...TYPED}
        class="find-places"
        id="find-q"
        label="Places, a region, or coordinates"
        name="q"
        required
        maxlength="400"
        placeholder="Berlin, New York, Tokyo"
      />
      <Field {...DATE} id="find-date" label="Date, if not today" name="date" />
      <Submit label="Show" />
    </form>
  );
}

/** Zones of the world clock, from west to east. Their names are ASCII. */
const ZONES = [
  ...['America/Los_Angeles', 'America/New_York', 'America/Sao_Paulo', 'Europe/London', 'Africa/Nairobi'],
  ...['Asia/Kolkata', 'Asia/Tokyo', 'Pacific/Auckland'],
];

/** The times of some cities. The script fills them in from one request to this server; hidden without scripts. */
function WorldClock({ isKeyed, maxBulk }: { isKeyed: boolean; maxBulk: number }): JSX.Element {
  // The request has at most `maxBulk` zones, one of which is the visitor's own.
  const zones = ZONES.slice(0, Math.max(1, maxBulk - 1));
  return (
    <div class="world" data-world-clock>
      <div class="now">
        <div class="now-clock" data-own-clock></div>
        <p>
          <span class="now-place">UTC</span>
          <time class="now-time">‒‒:‒‒:‒‒</time>
          <span class="now-date">&nbsp;</span>
        </p>
      </div>
      <table>
        <caption class="unseen">The time around the world</caption>
        <thead class="unseen">
          <tr>
            {['Place', 'Part of the day', 'Time', 'Day', 'Offset'].map(column => (
              <th scope="col">{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {zones.map(zone => (
            <tr data-zone={zone}>
              <th scope="row">{nameOfZone(zone).replace('Sao', 'São')}</th>
              <td class="world-track">
                <span class="track">
                  <span class="mark" />
                </span>
              </td>
              <td class="world-time">‒‒:‒‒</td>
              <td class="world-day"></td>
              <td class="world-offset"></td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="drift" data-drift>
        {isKeyed ? 'Enter an API key in the field above to start the clocks.' : <>&nbsp;</>}
      </p>
    </div>
  );
}

/** The date of the precomputed responses. */
const EXAMPLE_DATE = compileStrftime('%B %-d, %Y', 'format').format(new Moment(EXAMPLE_NOW_MS, 0, 'UTC'));

/** A task for each route; `tests/http/site.test.ts` checks that none is missing. */
const TASKS: Readonly<Record<string, string>> = {
  '/v1/time/current': 'What time is it?',
  '/v1/time/convert': 'Convert a time',
  '/v1/time/diff': 'Time between two instants',
  '/v1/time/add': 'Add to a time',
  '/v1/time/calendar': 'Date and week number',
  '/v1/time/dst': 'Is it summer time?',
  '/v1/time/elapsed': 'Time since or until',
  '/v1/time/transitions': 'When do clocks change?',
  '/v1/timezone': 'Look up a zone',
  '/v1/timezones': 'List all zones',
  '/v1/abbreviations': 'What an abbreviation means',
  '/v1/places': 'Find a place',
  '/v1/tzdata': 'Time zone data releases',
  '/v1/tzdata/changes': 'What a release changed',
  '/v1/holidays': 'List public holidays',
  '/v1/work/status': 'Is it open now?',
  '/v1/work/add': 'Add working time',
  '/v1/work/diff': 'Count working time',
  '/v1/work/days': 'Count working days',
  '/v1/recurrence': 'Recurring times',
  '/v1/time/current.txt': 'The time as text',
  '/v1/time/transitions.csv': 'Clock changes as a table',
  '/v1/timezone.ics': 'A zone for calendar apps',
  '/v1/timezones.csv': 'Zones as a table',
  '/v1/holidays.ics': 'Holidays for calendar apps',
  '/v1/holidays.csv': 'Holidays as a table',
  '/v1/time/clock': 'A clock for a page',
  '/v1/time/clock.svg': 'A clock as a picture',
  '/embed/clock': 'A clock for an iframe',
  '/embed/board': 'Clocks for several places',
  '/oembed': 'oEmbed for a clock',
  '/.well-known/time-api-public-key': 'Signature keys',
};

/** The GET routes with examples and forms. The script shows one, built when selected: hundreds of hidden fields would slow a phone. */
function Playground({ routes }: { routes: readonly PlacedOperation[] }): JSX.Element {
  return (
    <div class="playground" data-playground>
      <nav class="playground-routes" aria-label="Tasks to try">
        {routes.map(({ path, operation }, index) => (
          <a href={`#${path}`} aria-current={index === 0 ? 'true' : undefined}>
            <span safe>{TASKS[path] ?? operation.operationId}</span>
            <small class="route-path" safe>
              {path}
            </small>
          </a>
        ))}
      </nav>
      {routes.map(({ path, operation }, index) => {
        const content = panelContent(path, operation);
        return (
          <article class="panel" id={path} hidden={index > 0}>
            {index > 0 ? <noscript>{content}</noscript> : content}
          </article>
        );
      })}
    </div>
  );
}

function panelContent(path: string, operation: Operation): JSX.Element {
  const examples = examplesOf(operation);
  const [first] = examples;
  const queries = examples.map(example => new URLSearchParams(example['x-request'].split('?')[1]));
  // Parameters that no example uses are collapsed.
  const isUsed = ({ name }: Parameter) => queries.some(query => query.has(name));
  const shown = operation.parameters.filter(isUsed);
  const further = operation.parameters.filter(parameter => !isUsed(parameter));
  const fields = (parameters: readonly Parameter[]) => (
    <div class="fields">
      {parameters.map(parameter => (
        <ParameterField id={`${operation.operationId}-${parameter.name}`} parameter={parameter} />
      ))}
    </div>
  );
  return (
    <>
      <h3>
        <Prose text={operation.summary} />
      </h3>
      <ul class="chips" aria-label="Examples">
        {examples.map(example => (
          <li>
            <Link href={example['x-request']} data-example text={example.summary} />
          </li>
        ))}
      </ul>
      <form action={path}>
        {fields(shown)}
        {further.length > 0 && (
          <details>
            <summary>{`${further.length} more parameter${further.length === 1 ? '' : 's'}`}</summary>
            {fields(further)}
          </details>
        )}
        <p class="actions">
          <Submit label="Send" />
          <a href={`/docs#${operation.operationId}`}>Reference</a>
        </p>
      </form>
      {/* A precomputed exchange, which the script replaces with real ones. */}
      <div class="exchange">
        {first !== undefined && (
          <>
            <RequestLine request={first['x-request']} />
            <p class="status">Response of {EXAMPLE_DATE}</p>
            <JsonBlock value={first.value} />
          </>
        )}
      </div>
    </>
  );
}

/** The form field of a parameter: a checkbox, a select, a text field or, for multi-line text, a text area. */
function ParameterField({ id, parameter }: { id: string; parameter: Parameter }): JSX.Element {
  const { name, description, schema } = parameter;
  return (
    <div class={schema['type'] === 'boolean' ? 'field field-flag' : 'field'}>
      <label for={id} safe>
        {name}
      </label>
      <Control id={id} parameter={parameter} />
      <small id={`${id}-help`}>
        <Prose text={description} />
      </small>
    </div>
  );
}

function Control({ id, parameter }: { id: string; parameter: Parameter }): JSX.Element {
  const { name, required, schema } = parameter;
  const common = { id, name, 'aria-describedby': `${id}-help` };
  if (schema['type'] === 'boolean') return <input {...common} type="checkbox" value="true" />;
  const choices = schema['enum'];
  if (Array.isArray(choices)) {
    return (
      <select {...common}>
        <option value="" />
        {choices.map(choice => (
          <option safe>{String(choice)}</option>
        ))}
      </select>
    );
  }
  const [example] = Array.isArray(schema['examples']) ? schema['examples'] : [];
  const placeholder = String(example ?? '');
  const hints = { autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' };
  const typed = { ...common, required, placeholder, ...hints };
  // An `input` element would remove newlines.
  if (placeholder.includes('\n')) return <textarea {...typed} rows="2" />;
  return <input {...typed} type="text" inputmode={schema['type'] === 'number' ? 'decimal' : 'text'} />;
}
