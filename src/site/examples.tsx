import { Html } from '@elysiajs/html';
import type { ApiResponse, Operation, ShownExample } from '../api/description/document.ts';
import { jsonTokens } from './json_tokens.ts';

/** The examples of a route, successful ones first. */
export function examplesOf({ responses }: Operation): ShownExample[] {
  return Object.values(responses)
    .filter((response): response is ApiResponse => 'content' in response)
    .flatMap(({ content = {} }) => Object.values(content))
    .flatMap(({ examples, 'x-requests': requests }) => Object.values({ ...examples, ...requests }));
}

/** Indented JSON, or HTML source for a string; without a value, the reason. */
export function JsonBlock({ value }: { value: unknown }): JSX.Element {
  if (value === undefined)
    return <p class="status">Computed from data that is loaded at its first use: try it.</p>;
  if (typeof value === 'string')
    return (
      <pre class="json source" tabindex="0">
        <code safe>{value}</code>
      </pre>
    );
  const tokens = jsonTokens(JSON.stringify(value, null, 2));
  return (
    <pre class="json">
      <code>
        {tokens.map(({ kind, text }) =>
          kind === 'plain' ? (
            Html.escapeHtml(text)
          ) : (
            <span class={`json-${kind}`} safe>
              {text}
            </span>
          ),
        )}
      </code>
    </pre>
  );
}

/** A request line: method, path and query. */
export function RequestLine({ request }: { request: string }): JSX.Element {
  const [path, query] = request.split('?', 2);
  return (
    <code class="request">
      <span class="request-method">GET</span>{' '}
      <a href={request}>
        <span class="request-path" safe>
          {path!}
        </span>
        {query !== undefined && <span class="request-query" safe>{`?${query}`}</span>}
      </a>
    </code>
  );
}
