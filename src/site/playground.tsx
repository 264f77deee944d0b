import { Html } from '@elysiajs/html';
import type { ApiDocument, Operation, Parameter, ShownExample } from '../api/description/document.ts';
import { JsonBlock, RequestLine } from './code_block.tsx';
import { examplesOf } from './examples_of.ts';
import { ParameterField } from './parameter_field.tsx';
import { Prose } from './prose.tsx';

/** Every route with its examples and a form of its own, one of them in sight. */
export function Playground({ document }: { document: ApiDocument }): JSX.Element {
  const routes = Object.entries(document.paths).map(([path, { get }]) => ({ path, operation: get }));
  return (
    <div class="playground" data-playground>
      <nav class="playground-routes" aria-label="Routes to try">
        {routes.map(({ path, operation }, index) => (
          <a href={`#${path}`} aria-current={index === 0 ? 'true' : undefined}>
            <span safe>{operation.operationId}</span>
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

interface RoutePanelProps {
  readonly path: string;
  readonly operation: Operation;
  readonly isHidden: boolean;
}

function RoutePanel({ path, operation, isHidden }: RoutePanelProps): JSX.Element {
  const examples = examplesOf(operation);
  const [first] = examples;
  const { shown, further } = sorted(operation.parameters, examples);
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
        {further.length === 0 ? (
          ''
        ) : (
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
      <div class="exchange">{first === undefined ? '' : <Exchange example={first} />}</div>
    </article>
  );
}

/** What the script replaces by what it asked and was answered. */
function Exchange({ example }: { example: ShownExample }): JSX.Element {
  return (
    <>
      <RequestLine request={example['x-request']} />
      <p class="status">As answered on April 15, 2026</p>
      <JsonBlock value={example.value} />
    </>
  );
}

/** The parameters that the examples use come first, the others stand behind a fold. */
function sorted(parameters: readonly Parameter[], examples: readonly ShownExample[]) {
  const used = new Set(
    examples.flatMap(example => [...new URL(example['x-request'], 'http://localhost').searchParams.keys()]),
  );
  return {
    shown: parameters.filter(({ name }) => used.has(name)),
    further: parameters.filter(({ name }) => !used.has(name)),
  };
}
