import { readFile } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { messageOf, systemReason, UsageError, visible } from '../../common/errors.ts';
import { PROOF_HEADERS } from '../../signing/message_signature.ts';
import { parseMinisignKey, verifyMinisign } from '../../signing/minisign.ts';
import { type Verification, verifySigned } from '../../signing/verify_signed.ts';
import { defineCommand } from '../command.ts';
import { COMMON_FLAGS, optional, parseText, single } from '../flags.ts';

const FETCH_TIMEOUT_MS = 10_000;
const HEADERS_HELP =
  "the response headers, as saved by 'curl -D FILE', or headers and body, as printed by 'curl -i'";

export const verifyCommand = defineCommand({
  name: 'verify',
  synopsis: '--jwks FILE-or-URL --headers FILE [--body FILE]',
  summary: 'verify a signed response: print the checks, exit 0 only if all pass',
  flags: {
    ...COMMON_FLAGS,
    jwks: optional('FILE-or-URL', 'the public key set', { fallbackText: 'required' }),
    headers: optional('FILE', HEADERS_HELP, { fallbackText: 'required' }),
    body: optional('FILE', "the response body, as saved by 'curl -o FILE'"),
    url: optional('URL', 'the requested URL; its path and query are compared'),
  },
  async run({ settings }, context) {
    const { jwks, headers, body, url } = settings;
    if (jwks === null || headers === null) throw new UsageError('verify requires --jwks and --headers');
    const saved = readSavedResponse(await readInput(headers, '--headers'));
    const response = {
      ...saved,
      ...(body !== null && { body: await readInput(body, '--body') }),
      ...(url !== null && { path: pathOf(url) }),
    };
    const verification = verifySigned(response, await loadKeySet(jwks));
    context.print(report(verification, saved.header));
    return verification.holds ? 0 : 1;
  },
});

/** The path and query that a client sends to request a URL or path. */
function pathOf(text: string): string {
  const url = URL.parse(text, 'http://localhost');
  if (url === null) throw new UsageError(`--url: '${text}' is not a URL`);
  return url.pathname + url.search;
}

/** Reads a file. @throws {Error} with a one-line message that names it and its flag, if given */
async function readInput(path: string, flag = ''): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const file = flag === '' ? `'${path}'` : `${flag} '${path}'`;
    throw new Error(`Cannot read ${file}: ${systemReason(error)}`);
  }
}

async function loadKeySet(source: string): Promise<unknown> {
  const isUrl = /^https?:\/\//.test(source);
  const file = isUrl ? null : await readInput(source, '--jwks');
  try {
    return JSON.parse(file === null ? await fetchText(source) : String(file));
  } catch (error) {
    // The parser's message would quote the text.
    const reason = error instanceof SyntaxError ? 'not JSON' : messageOf(error);
    throw new Error(`Cannot read the key set ${source}: ${reason}`);
  }
}

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return await response.text();
}

function report(verification: Verification, header: (name: string) => string | null): string {
  const { holds, checks, envelope, hasMessageSignature } = verification;
  const isSigned = holds && hasMessageSignature;
  const lines = [
    ...checks.map(({ holds, what, found }) => line(holds ? 'ok' : 'FAIL', what, found)),
    // What the response says of its data and clock.
    ...PROOF_HEADERS.flatMap(name => {
      const value = header(name);
      const what = name.slice('X-Service-'.length).replace('-', ' ').toLowerCase();
      if (value === null) return [];
      return isSigned ? line('ok', what, value) : line('', what, `${value}, not signed`);
    }),
    holds && envelope !== undefined ? `verified: ${summary(envelope)}` : 'NOT verified',
  ];
  return lines.map(visible).join('\n');
}

function line(mark: string, what: string, found: string): string {
  return `${mark.padEnd(4)}  ${what.padEnd(16)}  ${found}`;
}

function summary({ status, method, path, epochSeconds }: NonNullable<Verification['envelope']>): string {
  return `${method} ${path} has status ${status} and was signed at ${new Date(epochSeconds * 1000).toISOString()}`;
}

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

/** The flags for a release's signed checksums. */
export const RELEASE_FLAGS = {
  ...COMMON_FLAGS,
  'public-key': optional('FILE', "the minisign public key of meridian's releases", {
    fallbackText: 'required',
  }),
  sums: single('FILE', 'the checksums, signed in FILE.minisig', 'SHA256SUMS', parseText),
} as const;

export const verifyReleaseCommand = defineCommand({
  name: 'verify-release',
  synopsis: '--public-key FILE [--sums FILE] DOWNLOAD...',
  summary: "verify downloads against a release's signed checksums; exit 0 only if all match",
  flags: RELEASE_FLAGS,
  takesOperands: true,
  async run({ settings, operands }, { print }) {
    const { 'public-key': keyFile, sums } = settings;
    if (keyFile === null || operands.length === 0)
      throw new UsageError('verify-release requires --public-key and at least one file to verify');
    const signed = await readSignedSums(sums, keyFile, print);
    const results = await Promise.all(operands.map(path => checkDownload(path, signed)));
    for (const { path, problem } of results)
      print(visible(problem === null ? `ok    ${path}` : `FAIL  ${path}: ${problem}`));
    return results.every(({ problem }) => problem === null) ? 0 : 1;
  },
});

async function checkDownload(path: string, sums: Sums) {
  // An executable is listed by its path in its archive.
  const whole = resolve(path).replaceAll(sep, '/');
  const expected = [...sums].find(([name]) => whole.endsWith(`/${name}`))?.[1];
  if (expected === undefined) return { path, problem: 'not listed in the checksums' };
  try {
    const found = await sha256OfFile(path);
    return { path, problem: found === expected ? null : `its SHA-256 is ${found}, not ${expected}` };
  } catch (error) {
    return { path, problem: systemReason(error) };
  }
}

/** SHA-256 digests in hexadecimal by file name. */
type Sums = ReadonlyMap<string, string>;

/** Verifies the signature of a release's checksums, prints its comment, and returns the checksums. */
export async function readSignedSums(
  sums: string,
  keyFile: string,
  print: (text: string) => void,
): Promise<Sums> {
  const [text, signature, key] = await Promise.all(
    [sums, `${sums}.minisig`, keyFile].map(path => readInput(path)),
  );
  try {
    const comment = verifyMinisign(text!, String(signature), parseMinisignKey(String(key)));
    print(visible(`ok    ${sums}, signed: ${comment}`));
  } catch (error) {
    throw new Error(`Cannot verify ${sums} with ${keyFile}: ${messageOf(error)}`);
  }
  // The format of `sha256sum`.
  const lines = String(text).matchAll(/^([0-9a-f]{64}) [ *](.+)$/gm);
  return new Map([...lines].map(([, digest, name]) => [name!, digest!]));
}

/** The digest of a file. It is hashed in chunks, since downloads can be hundreds of megabytes. */
export async function sha256OfFile(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk);
  return hasher.digest('hex');
}
