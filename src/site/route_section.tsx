import { Html } from '@elysiajs/html';
import type {
  ApiResponse,
  MediaType,
  Operation,
  Parameter,
  ShownExample,
} from '../api/description/document.ts';
import { JsonBlock, RequestLine } from './code_block.tsx';
import { examplesOf } from './examples_of.ts';
import { Heading } from './heading.tsx';
import { Name } from './name.tsx';
import { Prose } from './prose.tsx';
import { boundsText, TypeLabel } from './type_label.tsx';

/** A route: what it does, its parameters and answers, and examples beside them. */
export function RouteSection({ path, operation }: { path: string; operation: Operation }): JSX.Element {
  const { operationId, summary, description, parameters, responses } = operation;
  // The description has a 200 for every route.
  const [[mediaType, answer]] = Object.entries((responses['200'] as ApiResponse).content) as [
    [string, MediaType],
  ];
  const [first, ...others] = examplesOf(operation);
  return (
    <section class="route" id={operationId} aria-labelledby={`${operationId}-title`}>
      <div class="route-text">
        <Heading id={operationId} text={summary} level={3} />
        <p class="endpoint">
          <code>
            <span class="request-method">GET</span> <span safe>{path}</span>
          </code>
        </p>
        <p>
          <Prose text={description} />
        </p>
        <table class="reference">
          <caption>Parameters</caption>
          <thead class="unseen">
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Meaning</th>
            </tr>
          </thead>
          <tbody>
            {parameters.map(parameter => (
              <ParameterRow parameter={parameter} />
            ))}
          </tbody>
        </table>
        <p class="answers-with">
          <b>Answers with</b> {mediaType === 'text/html' ? 'HTML' : <TypeLabel schema={answer.schema} />}, or
          an <a href="#errors">error</a>.
        </p>
      </div>
      <div class="route-examples">
        {first === undefined ? '' : <ExampleFigure example={first} isOpen={true} />}
        {others.map(example => (
          <ExampleFigure example={example} isOpen={false} />
        ))}
      </div>
    </section>
  );
}

function ParameterRow({ parameter }: { parameter: Parameter }): JSX.Element {
  const { name, description, required, schema } = parameter;
  const bounds = boundsText(schema);
  return (
    <tr>
      <th scope="row">
        <Name text={name} />
        <small>
          <TypeLabel schema={schema} />
          {required ? ', required' : ''}
        </small>
      </th>
      <td>
        <Prose text={description} />
        {bounds === '' ? '' : <small safe>{bounds}</small>}
      </td>
    </tr>
  );
}

function ExampleFigure({ example, isOpen }: { example: ShownExample; isOpen: boolean }): JSX.Element {
  return (
    <details class="example" open={isOpen}>
      <summary safe>{example.summary}</summary>
      <RequestLine request={example['x-request']} />
      <JsonBlock value={example.value} />
      <p class="example-actions">
        <a href={`/#${example['x-request']}`}>Try it</a>
      </p>
    </details>
  );
}
