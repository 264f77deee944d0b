import { once } from '../common/caching.ts';
import { cut, didYouMean, quoted, requireLength, unreadable } from '../common/errors.ts';
import { whenReady } from '../common/promises.ts';
import { nearest } from '../common/words.ts';
import type { Exchange, Handler } from '../http/exchange.ts';
import { type KnownParameters, parseQuery, type Query } from '../http/query.ts';
import { MESSAGE_SIGNATURE } from '../http/signature.ts';
import { choice, flagSchema, InputSet, type Inputs, text, type Values } from './inputs.ts';

/** The maximum length of a nonce, in characters. */
const MAX_NONCE_LENGTH = 128;

/** The parameters common to all routes, in the order in which errors in them are reported. */
export const COMMON_PARAMETERS = {
  sign: flagSchema('Signs the response.'),
  signature: choice(
    [MESSAGE_SIGNATURE],
    'With `sign=true`: adds an RFC 9421 signature, which also covers the headers about data and clock.',
  ),
  nonce: text(
    `Any text of at most ${MAX_NONCE_LENGTH} characters. It only becomes part of the signed path, which proves that a response is new.`,
    '3c1f9a',
    { maxLength: MAX_NONCE_LENGTH },
  ),
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
  if (signature !== undefined && !isSigned) throw unreadable('signature', "it requires 'sign=true'");
  requireLength(query.get('nonce') ?? '', MAX_NONCE_LENGTH, 'nonce');
  query.rejectRemainingProblems();
}

/** Throws for the first unknown parameter of a query with `strict=true`. */
export function rejectUnknown(query: Query, known: KnownParameters): void {
  const [unknown] = query.ignored;
  if (unknown === undefined || !query.hasFlag('strict')) return;
  const advice = didYouMean(nearest(unknown, [...known.keys()], 1));
  throw unreadable(cut(unknown, 80), `this route has no such parameter${advice}`);
}

const { nonce, strict } = COMMON_PARAMETERS;

/** The parameters of all endpoints that are no routes. */
export const QUERY_PARAMETERS = { nonce, strict };

/**
 * Handles requests to an endpoint that is no route, with inputs of its own, none of which reads data. As on routes, `nonce` and
 * `strict` are checked.
 */
export function withQuery<Declared extends Inputs>(
  declared: Declared,
  handle: (values: Values<Declared>, exchange: Exchange) => Responding,
): Handler {
  const respond = queryResponder(declared);
  return exchange => respond(exchange, values => handle(values, exchange));
}

type Responding = Response | Promise<Response>;

/** Like {@link withQuery}, for endpoints whose `handle` needs what was found before the query is parsed, such as the client's key. */
export function queryResponder<Declared extends Inputs>(declared: Declared) {
  const inputs = once(() => new InputSet('this endpoint', declared, QUERY_PARAMETERS));
  return (exchange: Exchange, handle: (values: Values<Declared>) => Responding): Responding => {
    const { known } = inputs();
    const query = parseQuery(exchange.request.url, known);
    exchange.query = query;
    rejectUnknown(query, known);
    const context = {
      snapshot: exchange.snapshot,
      nowMs: exchange.now(),
      wantsDetails: false,
      clientAddress: () => exchange.clientAddress(),
    };
    const decoded = inputs().decode(query, inputs().select(query), context);
    return whenReady(decoded, values => {
      rejectInvalidCommon(query);
      return handle(values as Values<Declared>); // each is from the input declared under its name
    });
  };
}
