import { Html } from '@elysiajs/html';
import { jsonTokens } from './json_tokens.ts';

/** A JSON value as people read it, or the HTML that a text is; where there is none, why. */
export function JsonBlock({ value }: { value: unknown }): JSX.Element {
  if (value === undefined)
    return <p class="status">Answered from data that is read at its first use: try it.</p>;
  if (typeof value === 'string') return <MarkupBlock html={value} />;
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

/** HTML as it is written. */
function MarkupBlock({ html }: { html: string }): JSX.Element {
  return (
    <pre class="json markup">
      <code safe>{html}</code>
    </pre>
  );
}

/** A request line: method, path and query, with the parts of the query told apart. */
export function RequestLine({ request }: { request: string }): JSX.Element {
  const [path, query] = request.split('?', 2);
  return (
    <code class="request">
      <span class="request-method">GET</span>{' '}
      <a href={request}>
        <span class="request-path" safe>
          {path!}
        </span>
        {query === undefined ? '' : <span class="request-query" safe>{`?${query}`}</span>}
      </a>
    </code>
  );
}
