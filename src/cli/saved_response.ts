/** An HTTP response that a client saved to a file. */
export interface SavedResponse {
  /** The status of its first line; undefined if the file begins with a header. */
  readonly status: number | undefined;
  /** A header's value by case-insensitive name; repeated ones are joined by `, ` (RFC 9110 §5.3). */
  readonly header: (name: string) => string | null;
  /** What follows the headers; undefined if nothing does. */
  readonly body: Uint8Array | undefined;
}

/**
 * Parses what `curl -D FILE` or `curl -i` saved: a status line, headers, and optionally an empty line and the body. Of
 * several responses (100, a proxy's, a redirect) the last one counts.
 */
export function readSavedResponse(bytes: Uint8Array): SavedResponse {
  const text = Buffer.from(bytes).toString('latin1'); // one character per byte, so that offsets are equal
  let start = 0;
  for (;;) {
    const gap = /\r?\n\r?\n/g;
    gap.lastIndex = start;
    const end = gap.exec(text)?.index ?? text.length;
    const next = end === text.length ? end : gap.lastIndex;
    if (!text.startsWith('HTTP/', next)) {
      const body = next === text.length ? undefined : bytes.subarray(next);
      return { ...parseHead(text.slice(start, end)), body };
    }
    start = next;
  }
}

function parseHead(head: string): Omit<SavedResponse, 'body'> {
  const headers = new Map<string, string>();
  for (const line of head.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon === -1) continue;
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  const status = /^HTTP\/\S+ (\d{3})/.exec(head)?.[1];
  return {
    status: status === undefined ? undefined : Number(status),
    header: name => headers.get(name.toLowerCase()) ?? null,
  };
}
