/** Markup of requests and responses, for pages and their scripts. */

/** A token of JSON text; `plain` is punctuation and white space. */
export interface JsonToken {
  readonly kind: 'key' | 'string' | 'number' | 'word' | 'plain';
  readonly text: string;
}

const TOKEN =
  /(?<key>"(?:[^"\\]|\\.)*"(?=:))|(?<string>"(?:[^"\\]|\\.)*")|(?<number>-?\d[\d.eE+-]*)|(?<word>true|false|null)/g;

/** Splits a JSON text into tokens for syntax colouring; concatenated, they equal the input. */
export function jsonTokens(json: string): JsonToken[] {
  const tokens: JsonToken[] = [];
  let end = 0;
  for (const match of json.matchAll(TOKEN)) {
    if (match.index > end) tokens.push({ kind: 'plain', text: json.slice(end, match.index) });
    const [kind] = Object.entries(match.groups!).find(([, text]) => text !== undefined)!;
    tokens.push({ kind: kind as JsonToken['kind'], text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < json.length) tokens.push({ kind: 'plain', text: json.slice(end) });
  return tokens;
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

const REFERENCES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": '#x27',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => `&${REFERENCES[character]};`);
}
