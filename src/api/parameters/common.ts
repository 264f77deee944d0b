import { cut, quoted, unreadable } from '../../common/errors.ts';
import { nearest } from '../../common/words.ts';
import type { ParameterNames, Query } from '../../http/query.ts';
import { MESSAGE_SIGNATURE } from '../../http/signature.ts';
import { choice, flagSchema, text } from './schemas.ts';

/** The maximum length of a nonce, in characters. */
const MAX_NONCE_LENGTH = 128;

/** The parameters common to all routes, in the order in which errors in them are reported. */
export const COMMON_PARAMETERS = {
  sign: flagSchema('Signs the response.'),
  signature: choice(
    [MESSAGE_SIGNATURE],
    'With `sign=true`: adds an RFC 9421 signature, which also covers the headers about data and clock.',
  ),
  nonce: {
    ...text(
      `Any text of at most ${MAX_NONCE_LENGTH} characters. It only becomes part of the signed path, which proves that a response is new.`,
      '3c1f9a',
    ),
    maxLength: MAX_NONCE_LENGTH,
  },
  details: flagSchema('Adds `details`.'),
  strict: flagSchema('Rejects unknown parameters, which are otherwise ignored.'),
} as const;

/** Throws if common parameters are invalid; these errors are reported last. Flags with a value other than `true` are off. */
export function rejectInvalidCommon(query: Query): void {
  const isSigned = query.flag('sign');
  const signature = query.get('signature');
  if (signature !== undefined && signature !== MESSAGE_SIGNATURE) {
    throw unreadable('signature', `${quoted(signature)} is not '${MESSAGE_SIGNATURE}'`);
  }
  if (signature !== undefined && !isSigned) {
    throw unreadable('signature', "it requires 'sign=true'");
  }
  const nonce = query.get('nonce');
  if (nonce !== undefined) rejectLong(nonce);
  query.rejectRemainingProblems();
}

function rejectLong(nonce: string): void {
  const { length } = [...nonce];
  if (length > MAX_NONCE_LENGTH) {
    throw unreadable('nonce', `it has ${length} characters; the maximum is ${MAX_NONCE_LENGTH}`);
  }
}

/** Throws for the first unknown parameter of a query with `strict=true`. */
export function rejectUnknown(query: Query, known: ParameterNames): void {
  const [unknown] = query.ignored;
  if (unknown === undefined || !query.hasFlag('strict')) return;
  const [suggestion] = nearest(unknown, known.all, 1);
  const advice = suggestion === undefined ? '' : `; did you mean ${quoted(suggestion)}?`;
  throw unreadable(cut(unknown, 80), `this route has no such parameter${advice}`);
}
