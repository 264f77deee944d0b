import type { AccessDecision } from '../access/authorise.ts';
import { errorResponse, isCounted } from './errors.ts';
import type { Endpoint, Exchange, Handler } from './exchange.ts';
import { nameIgnoredParameters } from './response.ts';
import type { Observer, Server } from './snapshot.ts';
import { type AccessLogMode, loggedClient } from './traffic.ts';

/** The handler of an endpoint with the stages that every request passes: authentication, errors, ignored parameters, refunds, metrics and log. */
export function pipelineOf(endpoint: Endpoint, server: Server): Handler {
  const { access, handle } = endpoint;
  const admit = access === 'public' ? undefined : admission(endpoint, server);
  const refund = access === 'public' ? undefined : refunds(server);
  const record = server.observer && recorder(endpoint.path, server.observer);

  const handleAfter = async (admitted: Promise<void>, exchange: Exchange) => {
    await admitted;
    return handle(exchange);
  };
  const respond = handleErrors(
    exchange => {
      const admitted = admit?.(exchange);
      return admitted instanceof Promise ? handleAfter(admitted, exchange) : handle(exchange);
    },
    endpoint,
    server,
  );
  const complete = (response: Response, exchange: Exchange) => {
    const ignored = exchange.query?.ignored;
    if (ignored !== undefined && ignored.length > 0) nameIgnoredParameters(response.headers, ignored);
    refund?.(response, exchange);
    record?.(response, exchange);
    return response;
  };
  const completeLater = async (response: Promise<Response>, exchange: Exchange) =>
    complete(await response, exchange);
  // Completing can fail, for example to write to the log.
  return handleErrors(
    exchange => {
      const response = respond(exchange);
      return response instanceof Promise ? completeLater(response, exchange) : complete(response, exchange);
    },
    endpoint,
    server,
  );
}

/** Makes a handler respond with an error instead of throwing. Nothing else in the server converts exceptions into responses. */
export function handleErrors(handle: Handler, endpoint: Endpoint, server: Server): Handler {
  const respond = (thrown: unknown, exchange: Exchange) => errorResponse(thrown, exchange, endpoint, server);
  const settle = (response: Promise<Response>, exchange: Exchange) =>
    response.catch(thrown => respond(thrown, exchange));
  // A closure per request would cost 0.2 µs here, since its scope is created even if it is not.
  return exchange => {
    try {
      const response = handle(exchange);
      return response instanceof Promise ? settle(response, exchange) : response;
    } catch (thrown) {
      return respond(thrown, exchange);
    }
  };
}

/**
 * Authenticates requests and charges them to the limits of their API key. Runs before everything else that depends on the
 * request, so that unauthenticated clients see no validation errors. Throws if a request is rejected.
 */
function admission(
  { group }: Endpoint,
  server: Server,
): ((exchange: Exchange) => void | Promise<void>) | undefined {
  const { access, addresses, now } = server;
  if (access === null) return undefined;
  const limiter = group && server.publicLimiters?.[group];
  return exchange => {
    const { request, snapshot } = exchange;
    if (access.isOpen) {
      // Requests from this machine are exempt from the per-address limits of an open server.
      if (addresses !== undefined && !exchange.isLocal) addresses.admit(exchange.clientAddress(), now());
      return;
    }
    if (limiter && snapshot.publicRoutes.includes(group) && access.isAnonymous(request.headers)) {
      limiter.admit(exchange.clientAddress(), now());
      return;
    }
    const decision = access.authorise(request.headers, now());
    return decision instanceof Promise ? admitLater(decision, exchange) : admit(decision, exchange);
  };
}

function admit(decision: AccessDecision, exchange: Exchange): void {
  exchange.admission = decision;
  if (decision.error !== undefined) throw decision.error;
}

async function admitLater(decision: Promise<AccessDecision>, exchange: Exchange): Promise<void> {
  admit(await decision, exchange);
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

/** Refunds requests to their quota if the response does not count. */
function refunds({ access }: Server): ((response: Response, exchange: Exchange) => void) | undefined {
  if (access === null) return undefined;
  return ({ status }, { admission, isFree, charged, uncounted }) => {
    const refunded = isFree || !isCounted(status) ? charged : uncounted;
    if (admission !== undefined && refunded > 0) access.refund(admission, refunded);
  };
}

/** The lowest status that each mode logs. */
const FIRST_LOGGED: Readonly<Record<AccessLogMode, number>> = { all: 0, errors: 500, off: Infinity };

/**
 * Counts, times and logs responses. This takes 0.2 µs in isolation and 0.6 µs under load, mostly for reading the clock twice,
 * and another 0.4 µs for a line in the access log.
 */
function recorder(route: string, { traffic, accessLog }: Observer) {
  const meter = traffic.meter(route);
  const firstLogged = FIRST_LOGGED[accessLog.mode];
  return ({ status }: Response, exchange: Exchange): void => {
    const durationNs = Bun.nanoseconds() - exchange.startedNs;
    meter.count(status, durationNs);
    if (status < firstLogged) return;
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
  };
}
