import type { Admission } from '../access/gate.ts';
import type { PreparedQuery } from '../api/prepared_queries.ts';
import { loggedClient } from './logged_client.ts';
import type { Observer } from './observer.ts';
import type { CallerOf } from './peer.ts';

/** A request on its way through the application. */
export interface Exchange {
  readonly request: Request;
  /** Its query where that is kept. */
  readonly prepared: PreparedQuery | undefined;
  /** What names the caller's API key in the access log, once it is known. */
  keyId: string | undefined;
  /** Who asks, and how it stands with its limits; undefined where everybody is served. */
  admission: Admission | undefined;
  /** Whether its route answered: with 200, and with the headers of the admission. */
  isAnswered: boolean;
}

/** A request that has just come in. */
export function newExchange(request: Request, prepared?: PreparedQuery): Exchange {
  return { request, prepared, keyId: undefined, admission: undefined, isAnswered: false };
}

/** Answers a request. */
export type Respond = (exchange: Exchange) => Response | Promise<Response>;

/** Takes a request in, from whoever found its route, or its query among those that are kept. */
export type Enter = (request: Request, prepared?: PreparedQuery) => Response | Promise<Response>;

const FIRST_SERVER_ERROR = 500;

/**
 * `respond`, counted and logged under a route. All of it takes 0.2 µs in a loop of nothing else and 0.6 under load, most of it
 * for two looks at the clock, and 0.4 µs more for a line in the access log.
 */
export function observed(observer: Observer, route: string, respond: Respond, callerOf: CallerOf): Enter {
  const { traffic, accessLog } = observer;
  const meter = traffic.meter(route);
  const firstLogged = { all: 0, errors: FIRST_SERVER_ERROR, off: Number.POSITIVE_INFINITY }[accessLog.mode];

  function note(exchange: Exchange, response: Response, startedNs: number): Response {
    const status = exchange.isAnswered ? 200 : response.status;
    const durationNs = Bun.nanoseconds() - startedNs;
    meter.count(status, durationNs);
    if (status >= firstLogged) log(exchange, response, durationNs);
    return response;
  }

  function log(exchange: Exchange, response: Response, durationNs: number): void {
    const { request, keyId = null } = exchange;
    accessLog.write(
      accessLog.line({
        requestId: response.headers.get('X-Request-Id') ?? '',
        method: request.method,
        route,
        status: response.status,
        durationNs,
        keyId,
        client: accessLog.client === 'none' ? null : loggedClient(callerOf(request), accessLog.client),
      }),
    );
  }

  return (request, prepared) => {
    const exchange = newExchange(request, prepared);
    const startedNs = Bun.nanoseconds();
    const response = respond(exchange);
    if (response instanceof Response) return note(exchange, response, startedNs);
    return response.then(settled => note(exchange, settled, startedNs));
  };
}
