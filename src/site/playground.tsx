import { Html } from '@elysiajs/html';
import {
  type ApiDocument,
  type Operation,
  operationsOf,
  type Parameter,
  type ShownExample,
} from '../api/description/document.ts';
import { examplesOf, JsonBlock, RequestLine } from './examples.tsx';
import { Prose } from './prose.tsx';

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

/**
 * Every GET route with its examples and a form. The script shows one route at a time, and builds it when it is selected:
 * hundreds of invisible fields would slow down a phone.
 */
export function Playground({ document }: { document: ApiDocument }): JSX.Element {
  const routes = operationsOf(document).filter(({ method }) => method === 'GET');
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
      {routes.map(({ path, operation }, index) => (
        <RoutePanel path={path} operation={operation} isHidden={index > 0} />
      ))}
    </div>
  );
}

function RoutePanel(props: { path: string; operation: Operation; isHidden: boolean }): JSX.Element {
  const { path, operation, isHidden } = props;
  const content = <PanelContent path={path} operation={operation} />;
  return (
    <article class="panel" id={path} hidden={isHidden}>
      {isHidden ? <noscript>{content}</noscript> : content}
    </article>
  );
}

function PanelContent({ path, operation }: { path: string; operation: Operation }): JSX.Element {
  const examples = examplesOf(operation);
  const [first] = examples;
  const used = namesUsedBy(examples);
  const shown = operation.parameters.filter(({ name }) => used.has(name));
  const further = operation.parameters.filter(({ name }) => !used.has(name));
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
            <a href={example['x-request']} data-example safe>
              {example.summary}
            </a>
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
          <button class="button" type="submit">
            Send
          </button>
          <a href={`/docs#${operation.operationId}`}>Reference</a>
        </p>
      </form>
      <div class="exchange">{first !== undefined && <Exchange example={first} />}</div>
    </>
  );
}

/** A precomputed exchange, which the script replaces with real ones. */
function Exchange({ example }: { example: ShownExample }): JSX.Element {
  return (
    <>
      <RequestLine request={example['x-request']} />
      <p class="status">Response of April 15, 2026</p>
      <JsonBlock value={example.value} />
    </>
  );
}

/** The parameters that examples use; others are collapsed. */
function namesUsedBy(examples: readonly ShownExample[]): Set<string> {
  const queries = examples.map(example => new URLSearchParams(example['x-request'].split('?')[1]));
  return new Set(queries.flatMap(query => [...query.keys()]));
}

/** The form field of a parameter: a checkbox, a select, a text field or, for multi-line text, a text area. */
function ParameterField({ id, parameter }: { id: string; parameter: Parameter }): JSX.Element {
  const { name, description, schema } = parameter;
  const help = `${id}-help`;
  return (
    <div class={schema['type'] === 'boolean' ? 'field field-flag' : 'field'}>
      <label for={id} safe>
        {name}
      </label>
      <Control id={id} help={help} parameter={parameter} />
      <small id={help}>
        <Prose text={description} />
      </small>
    </div>
  );
}

function Control({ id, help, parameter }: { id: string; help: string; parameter: Parameter }): JSX.Element {
  const { name, required, schema } = parameter;
  const common = { id, name, 'aria-describedby': help };
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
  const typed = {
    ...common,
    required,
    placeholder,
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
  };
  // An `input` element would remove newlines.
  if (placeholder.includes('\n')) return <textarea {...typed} rows="2" />;
  return <input {...typed} type="text" inputmode={schema['type'] === 'number' ? 'decimal' : 'text'} />;
}
