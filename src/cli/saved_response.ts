/**
 * Parses an HTTP response saved by `curl -D FILE` or `curl -i`: a status line, headers, and optionally an empty line
 * and the body. If there are several responses (100, from a proxy, redirects), the last one counts.
 */
export function readSavedResponse(bytes: Uint8Array) {
  const text = Buffer.from(bytes).toString('latin1'); // one character per byte, so offsets are byte offsets
  const nextHead = /(?<head>.*?)(?:\r?\n\r?\n|$)/sy;
  let head = '';
  do head = nextHead.exec(text)?.groups?.['head'] ?? '';
  while (text.startsWith('HTTP/', nextHead.lastIndex));
  const lines = head.split(/\r?\n/);
  const status = /^HTTP\/\S+ (\d{3})/.exec(head)?.[1];
  return {
    /** The status from the status line; undefined if the file begins with a header. */
    status: status === undefined ? undefined : Number(status),
    /** A header's value by case-insensitive name; repeated ones are joined by `, ` (RFC 9110 §5.3). */
    header(name: string): string | null {
      const prefix = `${name.toLowerCase()}:`;
      const values = lines
        .filter(line => line.toLowerCase().startsWith(prefix))
        .map(line => line.slice(prefix.length).trim());
      return values.length === 0 ? null : values.join(', ');
    },
    /** Everything after the headers; undefined if nothing follows. */
    body: nextHead.lastIndex < text.length ? bytes.subarray(nextHead.lastIndex) : undefined,
  };
}
