import { Html } from '@elysiajs/html';
import type { ApiDocument, Operation, Parameter, ShownExample } from '../api/description/document.ts';
import { examplesOf, JsonBlock, RequestLine } from './examples.tsx';
import { Prose } from './prose.tsx';

/** Every route with its examples and a form; scripts show one route at a time. */
export function Playground({ document }: { document: ApiDocument }): JSX.Element {
  const routes = Object.entries(document.paths);
  return (
    <div class="playground" data-playground>
      <nav class="playground-routes" aria-label="Routes to try">
        {routes.map(([path, { get }], index) => (
          <a href={`#${path}`} aria-current={index === 0 ? 'true' : undefined}>
            <span safe>{get.operationId}</span>
            <small class="route-path" safe>
              {path}
            </small>
          </a>
        ))}
      </nav>
      {routes.map(([path, { get }], index) => (
        <RoutePanel path={path} operation={get} isHidden={index > 0} />
      ))}
    </div>
  );
}

function RoutePanel(props: { path: string; operation: Operation; isHidden: boolean }): JSX.Element {
  const { path, operation, isHidden } = props;
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
    <article class="panel" id={path} hidden={isHidden}>
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
    </article>
  );
}

/** A prepared exchange, which the script replaces by real ones. */
function Exchange({ example }: { example: ShownExample }): JSX.Element {
  return (
    <>
      <RequestLine request={example['x-request']} />
      <p class="status">Response of April 15, 2026</p>
      <JsonBlock value={example.value} />
    </>
  );
}

/** The parameters that examples use; others are folded away. */
function namesUsedBy(examples: readonly ShownExample[]): Set<string> {
  const queries = examples.map(example => new URLSearchParams(example['x-request'].split('?')[1]));
  return new Set(queries.flatMap(query => [...query.keys()]));
}

/** The form field of a parameter: a checkbox, a choice, a text field or, for a text of several lines, an area. */
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
  // An input removes newlines.
  if (placeholder.includes('\n')) return <textarea {...typed} rows="2" />;
  return <input {...typed} type="text" inputmode={schema['type'] === 'number' ? 'decimal' : 'text'} />;
}
