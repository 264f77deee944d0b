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
