import { readFile } from 'node:fs/promises';
import { messageOf } from '../../common/message_of.ts';
import { UsageError } from '../../common/usage_error.ts';
import { type Verification, verifySigned } from '../../signing/verify_signed.ts';
import type { Command } from '../command.ts';
import { VERIFY_FLAGS } from '../flags.ts';
import { readSavedAnswer } from '../saved_answer.ts';
import { readCommandLine } from '../settings.ts';

const FETCH_TIMEOUT_MS = 10_000;

export const verifyCommand: Command = {
  name: 'verify',
  synopsis: '--jwks FILE-or-URL --headers FILE [--body FILE]',
  summary: 'verify a signed answer: print what was checked, exit 0 only when all holds',
  flags: VERIFY_FLAGS,
  async run(args, context) {
    const { settings, operands } = readCommandLine(VERIFY_FLAGS, args, context);
    const { jwks, headers, body, url } = settings;
    if (operands.length > 0 || jwks === null || headers === null) {
      throw new UsageError('verify needs --jwks FILE-or-URL and --headers FILE, and takes flags only');
    }
    const saved = readSavedAnswer(await readGiven('--headers', headers));
    const answer = {
      ...saved,
      ...(body !== null && { body: await readGiven('--body', body) }),
      ...(url !== null && { path: pathOf(url) }),
    };
    const verification = verifySigned(answer, await loadKeySet(jwks));
    context.print(report(verification));
    return verification.holds ? 0 : 1;
  },
};

/** Path and query as a client sends them for a URL, or for a path alone. */
function pathOf(text: string): string {
  const url = URL.parse(text, 'http://localhost');
  if (url === null) throw new UsageError(`--url: '${text}' is not a URL`);
  return url.pathname + url.search;
}

/** Reads the file of a flag. @throws {Error} of one line that names both */
async function readGiven(flag: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new Error(
      `Cannot read the file of ${flag}: ${isAbsent ? `there is no '${path}'` : messageOf(error)}`,
    );
  }
}

async function loadKeySet(source: string): Promise<unknown> {
  const text = /^https?:\/\//.test(source)
    ? await fetchText(source)
    : String(await readGiven('--jwks', source));
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`Cannot read the key set ${source}: it is not JSON`);
  }
}

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) }).catch(error => {
    throw new Error(`Cannot read the key set ${url}: ${messageOf(error)}`);
  });
  if (!response.ok) throw new Error(`Cannot read the key set ${url}: it answers ${response.status}`);
  return await response.text();
}

function report({ holds, checks, envelope }: Verification): string {
  const lines = checks.map(
    check => `${check.holds ? 'ok  ' : 'FAIL'}  ${check.what.padEnd(16)}  ${check.found}`,
  );
  lines.push(holds && envelope !== undefined ? `verified: ${summary(envelope)}` : 'NOT verified');
  return lines.map(printable).join('\n');
}

function summary({ status, method, path, epochSeconds }: NonNullable<Verification['envelope']>): string {
  return `${method} ${path} was answered ${status}, signed at ${new Date(epochSeconds * 1000).toISOString()}`;
}

/** Without control characters, which could rewrite what a terminal shows: an unproved answer may hold anything. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '\uFFFD');
}
