import type { AccessDecision } from '../access/authorise.ts';
import { type AccessLogMode, loggedClient } from './access_log.ts';
import { chain, type Exchange, type Handler, type Middleware } from './exchange.ts';
import type { Server } from './snapshot.ts';

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

/**
 * Authenticates requests and charges them to the limits of their API key. Runs before everything else that depends on the
 * request, so that unauthenticated clients see no validation errors. Throws if a request is rejected.
 */
export const authenticate: Middleware = (next, { access: visibility, group }, server) => {
  const { access, now } = server;
  if (access === null || visibility === 'public') return next;
  const withoutKey = limitAddresses(next, server);
  const limiter = group && server.publicLimiters?.[group];
  const admit = (admission: AccessDecision, exchange: Exchange) => {
    exchange.admission = admission;
    if (admission.error !== undefined) throw admission.error;
    return next(exchange);
  };
  return exchange => {
    if (access.isOpen) return withoutKey(exchange);
    const { request, snapshot } = exchange;
    if (limiter && snapshot.publicRoutes.includes(group) && access.isAnonymous(request.headers)) {
      limiter.admit(exchange.clientAddress(), now());
      return next(exchange);
    }
    return chain(access.authorise(request.headers, now()), admit, exchange);
  };
};

/** Applies the per-address limits of an open server, if any; requests from this machine are exempt. */
function limitAddresses(next: Handler, { addresses, now }: Server): Handler {
  if (addresses === undefined) return next;
  return exchange => {
    if (!exchange.isLocal) addresses.admit(exchange.clientAddress(), now());
    return next(exchange);
  };
}

/** Charges an admitted request as several additional ones, all or none; throws if they exceed its limits. */
export async function chargeMore(exchange: Exchange, requests: number, server: Server): Promise<void> {
  const { access, addresses } = server;
  const { admission } = exchange;
  if (addresses !== undefined && access?.isOpen && !exchange.isLocal)
    addresses.admitMore(exchange.clientAddress(), exchange.now(), requests);
  const decision = admission && (await access?.chargeMore(admission, requests, exchange.now()));
  if (decision === undefined) return;
  // The response reports the state after the rejection, but the request itself was granted, and will be refunded.
  exchange.admission = decision.status === undefined ? admission : { ...decision, error: undefined };
  if (decision.error !== undefined) throw decision.error;
  exchange.charged += requests;
}

/** Refunds a request to its quota if the response does not count. */
export const refundUncounted: Middleware = (next, { access: visibility }, { access }) => {
  if (access === null || visibility === 'public') return next;
  const refund = (response: Response, { admission, isFree, charged, uncounted }: Exchange) => {
    const refunded = isFree || !isCounted(response.status) ? charged : uncounted;
    if (admission !== undefined && refunded > 0) access.refund(admission, refunded);
    return response;
  };
  return exchange => chain(next(exchange), refund, exchange);
};

/** Whether a response counts against the monthly quota: server errors and rejected requests do not. */
export function isCounted(status: number): boolean {
  return status < 500 && status !== 404 && status !== 401 && status !== 403 && status !== 429;
}
