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

/** Longer texts are abridged: the page only shows what a response looks like. */
const MOST_LINES = 24;
const MOST_CHARACTERS = 600;

/** The beginning of a text, and a description of what is missing. */
export function abridged(text: string): { shown: string; missing: string | null } {
  const lines = text.split('\n');
  if (lines.length > MOST_LINES) {
    const shown = lines.slice(0, MOST_LINES).join('\n');
    return { shown, missing: `${lines.length - MOST_LINES} more lines` };
  }
  if (text.length <= MOST_CHARACTERS) return { shown: text, missing: null };
  const missing = (text.length - MOST_CHARACTERS).toLocaleString('en');
  return { shown: text.slice(0, MOST_CHARACTERS), missing: `${missing} more characters` };
}

/** Indented JSON or other text, abridged; if there is no value, the reason. */
export function JsonBlock({ value }: { value: unknown }): JSX.Element {
  if (value === undefined)
    return <p class="status">Computed from data that is loaded on first use: try it.</p>;
  const isSource = typeof value === 'string';
  const { shown, missing } = abridged(isSource ? value : JSON.stringify(value, null, 2));
  return (
    <>
      <pre class={isSource ? 'json source' : 'json'} tabindex={isSource ? '0' : undefined}>
        <code>{isSource ? Html.escapeHtml(shown) : coloured(shown)}</code>
      </pre>
      {missing !== null && <p class="status">{`… and ${missing}`}</p>}
    </>
  );
}

function coloured(json: string): JSX.Element[] {
  return jsonTokens(json).map(({ kind, text }) =>
    kind === 'plain' ? (
      Html.escapeHtml(text)
    ) : (
      <span class={`json-${kind}`} safe>
        {text}
      </span>
    ),
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
