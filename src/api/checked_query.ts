import { chain, type Exchange, type Handler } from '../http/exchange.ts';
import { ParameterNames, parseQuery, type Query } from '../http/query.ts';
import { nameIgnoredParameters } from '../http/response.ts';
import { COMMON_PARAMETERS, rejectInvalidCommon, rejectUnknown } from './parameters/common.ts';

const { nonce, strict } = COMMON_PARAMETERS;

/** The parameters of all endpoints that are no routes. */
export const QUERY_PARAMETERS = { nonce, strict };

/**
 * Handles requests to an endpoint that is no route, and has none or a few parameters of its own. As on routes, `nonce` and `strict`
 * are checked, and the response names the parameters that were ignored.
 */
export function withCheckedQuery(
  handle: (exchange: Exchange, query: Query) => Response | Promise<Response>,
  ownNames: readonly string[] = [],
): Handler {
  const known = new ParameterNames([...ownNames, ...Object.keys(QUERY_PARAMETERS)]);
  return exchange => {
    const query = parseQuery(exchange.request.url, known);
    exchange.query = query;
    rejectUnknown(query, known);
    rejectInvalidCommon(query);
    return chain(handle(exchange, query), withIgnoredNames, query);
  };
}

function withIgnoredNames(response: Response, { ignored }: Query): Response {
  nameIgnoredParameters(response.headers, ignored);
  return response;
}
