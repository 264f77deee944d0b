/** Markup of requests and responses, for pages and their scripts. */

/** A token of JSON text; `plain` is punctuation and white space. */
export interface JsonToken {
  readonly kind: 'key' | 'string' | 'number' | 'word' | 'plain';
  readonly text: string;
}

const TOKEN =
  /(?<key>"(?:[^"\\]|\\.)*"(?=:))|(?<string>"(?:[^"\\]|\\.)*")|(?<number>-?\d[\d.eE+-]*)|(?<word>true|false|null)|(?<plain>[^"\w-]+|.)/gs;

/** Splits a JSON text into tokens for syntax colouring; concatenated, they equal the input. */
export function jsonTokens(json: string): JsonToken[] {
  return [...json.matchAll(TOKEN)].map(({ 0: text, groups }) => {
    const [kind] = Object.entries(groups!).find(([, found]) => found !== undefined)!;
    return { kind: kind as JsonToken['kind'], text };
  });
}

/** A JSON text with syntax colouring. */
export function jsonMarkup(json: string): string {
  const marked = jsonTokens(json).map(({ kind, text }) =>
    kind === 'plain' ? escaped(text) : `<span class="json-${kind}">${escaped(text)}</span>`,
  );
  return marked.join('');
}

/** A GET request as a link, for a `code` element. */
export function requestMarkup(request: string): string {
  const [path, query] = request.split('?', 2) as [path: string, query?: string];
  const shownQuery = query === undefined ? '' : `<span class="request-query">?${escaped(query)}</span>`;
  const shown = `<span class="request-path">${escaped(path)}</span>${shownQuery}`;
  return `<span class="request-method">GET</span> <a href="${request.replaceAll('"', '%22')}">${shown}</a>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}
