import { stat } from 'node:fs/promises';
import { messageOf, systemReason } from '../../common/errors.ts';
import { createFile } from '../../common/state_files.ts';

/** Limit for a bundle; boundaries have 31 MB, a large IP database 130 MB. */
export const MAX_BUNDLE_BYTES = 256_000_000;

const MAX_REDIRECTS = 5;
/** Timeout for a whole download. */
const TIMEOUT_MS = 600_000;
/** Timeout for a response to begin, and for its next part. */
const STALL_MS = 30_000;

/** What was obtained: a bundle and its entity tag, or nothing since it still has the given tag. */
type Obtained = { readonly kind: 'new'; readonly etag: string | null } | { readonly kind: 'unchanged' };

/** Writes a bundle from a file or a URL to a new file, durably. Rejects with an `Error` that names the source. */
export async function obtainBundle(
  source: string,
  path: string,
  etag: string | null,
  stallMs = STALL_MS,
): Promise<Obtained> {
  try {
    if (!isUrl(source)) return await copy(source, path);
    return await download(parseBundleUrl(source), path, etag, stallMs);
  } catch (error) {
    throw new Error(`Cannot read ${source}: ${systemReason(error)}`);
  }
}

async function copy(source: string, path: string): Promise<Obtained> {
  const status = await stat(source);
  if (!status.isFile()) throw new Error('it is not a file'); // a pipe would block
  if (status.size > MAX_BUNDLE_BYTES)
    throw new Error(`its ${status.size} bytes are more than ${MAX_BUNDLE_BYTES}`);
  await createFile(path, Bun.file(source).stream());
  return { kind: 'new', etag: null };
}

async function download(
  source: string,
  path: string,
  etag: string | null,
  stallMs: number,
): Promise<Obtained> {
  const abort = new AbortController();
  const awaitServer: AwaitServer = async reception => {
    const reason = new Error(`nothing was received for ${stallMs / 1000} s`);
    using _timer = setTimeout(() => abort.abort(reason), stallMs);
    return await reception;
  };
  const init = {
    headers: { 'Accept-Encoding': 'identity', ...(etag !== null && { 'If-None-Match': etag }) },
    signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), abort.signal]),
    redirect: 'manual',
    decompress: false, // a small response must not become a large file
  } as const;
  try {
    const response = await fetched(new URL(source), init, awaitServer);
    if (response.status === 304 && etag !== null) return { kind: 'unchanged' };
    if (response.status !== 200 || response.body === null)
      throw new Error(`the response has status ${response.status}`);
    await createFile(path, chunksOf(response.body, awaitServer));
    return { kind: 'new', etag: response.headers.get('ETag') };
  } finally {
    abort.abort(); // closes the connection if anything has failed
  }
}

/** Awaits something from the server, with a timeout: the time for anything else, such as writing to a slow disk, does not count. */
type AwaitServer = <Value>(reception: Promise<Value>) => Promise<Value>;

async function* chunksOf(body: ReadableStream<Uint8Array>, awaitServer: AwaitServer) {
  const reader = body.getReader();
  for (let length = 0; ; ) {
    const { value, done } = await awaitServer(reader.read());
    if (done) return;
    length += value.length;
    if (length > MAX_BUNDLE_BYTES) throw new Error(`it is longer than ${MAX_BUNDLE_BYTES} bytes`);
    yield value;
  }
}

/** Fetches a URL, following redirects only to the same origin. */
async function fetched(
  url: URL,
  init: BunFetchRequestInit,
  awaitServer: AwaitServer,
  redirects = 0,
): Promise<Response> {
  const response = await awaitServer(fetch(url, init)).catch(error => {
    throw new Error(messageOf(error));
  });
  const location = response.headers.get('Location');
  if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
  const next = new URL(location, url);
  if (next.origin !== url.origin) throw new Error(`it redirects to another origin, ${next.origin}`);
  if (redirects === MAX_REDIRECTS) throw new Error(`it redirects more than ${MAX_REDIRECTS} times`);
  return fetched(next, init, awaitServer, redirects + 1);
}

/** Whether a source is a URL; otherwise it is a path. */
function isUrl(source: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(source);
}

/** Validates a bundle location: an absolute path or an HTTPS URL; HTTP only for this machine. Throws an `Error`. */
export function parseBundleUrl(text: string): string {
  const url = URL.parse(text);
  const isLocal = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  const isFetched = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal);
  if (isUrl(text) ? isFetched : text.startsWith('/')) return text;
  throw new Error(`'${text}' is neither an https URL nor an absolute path`);
}
