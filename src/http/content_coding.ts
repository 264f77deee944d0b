import { promisify } from 'node:util';
import { once } from '../common/caching.ts';
import { whenReady } from '../common/promises.ts';
import { zlib } from '../common/zlib.ts';

/** A content coding (RFC 9110 §8.4.1) that this server supports; `identity` is none. */
export type Coding = 'br' | 'zstd' | 'gzip' | 'identity';

/**
 * The coding that an `Accept-Encoding` prefers (RFC 9110 §12.5.3): the one with the greatest weight, or the first of equals.
 * `identity` comes last, with the weight given for its name only. It is also used for clients that accept none of the others,
 * even if they do not accept `identity` either, since a body is more useful to them than an error.
 */
export function preferredCoding(codings: readonly Coding[], accepted: string | null): Coding {
  const weights = weightsOf(accepted);
  let best: Coding = 'identity';
  let most = 0;
  for (const coding of [...codings, 'identity'] as const) {
    const weight = weights.get(coding) ?? (coding === 'identity' ? 0 : weights.get('*')) ?? 0;
    if (weight > most) [best, most] = [coding, weight];
  }
  return best;
}

/** Whether an `Accept` (RFC 9110 §12.5.1) gives HTML a greater weight than JSON, as browsers do for pages. */
export function prefersHtml(accepted: string | null): boolean {
  const weights = weightsOf(accepted);
  const weightOf = (type: string) =>
    weights.get(type) ?? weights.get(`${type.split('/', 1)[0]}/*`) ?? weights.get('*/*') ?? 0;
  return weightOf('text/html') > weightOf('application/json');
}

/** The weights by name, 0 if not acceptable. */
function weightsOf(accepted: string | null): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of (accepted ?? '').toLowerCase().split(',')) {
    const [name, ...parameters] = item.split(';').map(part => part.trim());
    const weight = parameters.find(parameter => parameter.startsWith('q='));
    weights.set(name!, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  return weights;
}

export type Bytes = Uint8Array<ArrayBuffer>;

/** Longer bodies are compressed; shorter ones fit into one packet anyway. */
const MIN_BYTES = 1024;
/** Larger bodies are compressed on another thread: brotli takes half a millisecond for this size. */
const MAX_INLINE_BYTES = 32_768;

/** Compresses on this thread, or on another. */
interface Compressor {
  readonly inline: (bytes: Uint8Array) => Buffer;
  readonly elsewhere: (bytes: Uint8Array) => Promise<Buffer>;
}

/** The codings of responses; if a client weights several equally, the first is used. */
const CODINGS = ['zstd', 'br', 'gzip'] as const;

const compressors = once((): Readonly<Record<(typeof CODINGS)[number], Compressor>> => {
  const { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } = zlib();
  const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
  const gzipOptions = { level: 7 }; // output is 5 % smaller than with the default of 6, in the same time
  return {
    zstd: {
      inline: bytes => Bun.zstdCompressSync(bytes, { level: 3 }),
      elsewhere: bytes => Bun.zstdCompress(bytes, { level: 3 }),
    },
    br: {
      inline: bytes => brotliCompressSync(bytes, brotliOptions),
      elsewhere: bytes => promisify(brotliCompress)(bytes, brotliOptions),
    },
    gzip: {
      inline: bytes => gzipSync(bytes, gzipOptions),
      elsewhere: bytes => promisify(gzip)(bytes, gzipOptions),
    },
  };
});

/** The coding that a request prefers, for bodies that are worth compressing. */
export function acceptedCoding({ headers }: Request): Coding {
  return preferredCoding(CODINGS, headers.get('Accept-Encoding'));
}

/** A body as it is sent, and its `Content-Encoding` header, if any. */
interface EncodedBody {
  readonly coding: Coding;
  readonly content: string | Bytes;
  readonly headers: Readonly<Record<string, string>>;
}

/** Whether a body is long enough to be compressed; texts have at least as many bytes as characters. */
export function isWorthCompressing({ length }: { readonly length: number }): boolean {
  return length > MIN_BYTES;
}

/** Compresses a body if it is worth compressing and the client accepts that. */
export function encodeBody(content: string | Bytes, request: Request): EncodedBody | Promise<EncodedBody> {
  const coding = isWorthCompressing(content) ? acceptedCoding(request) : 'identity';
  if (coding === 'identity') return { coding, content, headers: {} };
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const headers = { 'Content-Encoding': coding };
  return whenReady(compress(bytes, coding), compressed => ({ coding, content: compressed, headers }));
}

/** Compresses bytes with a coding, on another thread if there are many. */
export function compress(bytes: Bytes, coding: Coding): Bytes | Promise<Bytes> {
  if (coding === 'identity') return bytes;
  const { inline, elsewhere } = compressors()[coding];
  // The declared types allow shared memory, but it is never shared.
  return (bytes.length <= MAX_INLINE_BYTES ? inline(bytes) : elsewhere(bytes)) as Bytes | Promise<Bytes>;
}
