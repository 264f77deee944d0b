/** An HTTP answer that a client saved to a file. */
export interface SavedAnswer {
  /** The status of its first line; undefined where the file begins with a header. */
  readonly status: number | undefined;
  /** A header's value by its name in any letter case; several of one name are joined by `, ` (RFC 9110 §5.3). */
  readonly header: (name: string) => string | null;
  /** What follows the headers; undefined where nothing does. */
  readonly body: Uint8Array | undefined;
}

/**
 * Reads what `curl -D FILE` or `curl -i` saved: a status line, headers, and behind an empty line perhaps the body. Where
 * answers came before the last one (100, a proxy's, a redirect), the last one counts.
 */
export function readSavedAnswer(bytes: Uint8Array): SavedAnswer {
  const text = Buffer.from(bytes).toString('latin1'); // one character a byte, so that positions are the same
  let start = 0;
  for (;;) {
    const gap = /\r?\n\r?\n/g;
    gap.lastIndex = start;
    const end = gap.exec(text)?.index ?? text.length;
    const next = end === text.length ? end : gap.lastIndex;
    if (!text.startsWith('HTTP/', next)) {
      const body = next === text.length ? undefined : bytes.subarray(next);
      return { ...readHead(text.slice(start, end)), body };
    }
    start = next;
  }
}

function readHead(head: string): Omit<SavedAnswer, 'body'> {
  const headers = new Map<string, string>();
  const lines = head.split(/\r?\n/);
  for (const line of lines) {
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
