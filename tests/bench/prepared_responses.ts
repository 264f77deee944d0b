/** A response to be replayed unchanged. */
export interface PreparedResponse {
  readonly path: string;
  readonly text: string;
  /** Without headers that depend on the server: `Date` and `Content-Length`. */
  readonly headers: Headers;
}

/** Fetches the response of each target `N URL`; its path is `/N` followed by that of the URL. */
export async function prepareResponses(targets: readonly string[]): Promise<PreparedResponse[]> {
  const prepared: PreparedResponse[] = [];
  for (const target of targets) {
    const [index, url] = target.split(' ') as [string, string];
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: ${response.status}`);
    const headers = new Headers(response.headers);
    for (const name of ['date', 'content-length']) headers.delete(name);
    prepared.push({ path: `/${index}${new URL(url).pathname}`, text: await response.text(), headers });
  }
  return prepared;
}

/** The whole HTTP/1.1 response in bytes, with a date. */
export function wireBytes({ text, headers }: PreparedResponse): Uint8Array {
  const body = new TextEncoder().encode(text);
  const all = [...headers, ['date', new Date().toUTCString()], ['content-length', String(body.length)]];
  const head = all.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n`), body]);
}
