import type { AccessDecision } from '../access/authorise.ts';
import { chain, type Exchange, type Middleware } from './exchange.ts';

/**
 * Authenticates requests and charges them to the limits of their API key. It precedes everything else that depends on
 * the request, so that unauthenticated clients see no validation errors. Rejections are thrown.
 */
export const authenticate: Middleware = (next, { access: visibility }, { access, now }) => {
  if (access === null || visibility === 'public') return next;
  const admit = (admission: AccessDecision, exchange: Exchange) => {
    exchange.admission = admission;
    if (admission.error !== undefined) throw admission.error;
    return next(exchange);
  };
  return exchange =>
    access.isOpen
      ? next(exchange)
      : chain(access.authorise(exchange.request.headers, now()), admit, exchange);
};

/** Refunds the request to its quota where the response does not count. */
export const refundUncounted: Middleware = (next, { access: visibility }, { access }) => {
  if (access === null || visibility === 'public') return next;
  const refund = (response: Response, { admission }: Exchange) => {
    if (admission !== undefined && !isCounted(response.status)) access.refund(admission);
    return response;
  };
  return exchange => chain(next(exchange), refund, exchange);
};

/** Whether a response counts against the monthly quota: failures of the server and rejected requests do not. */
export function isCounted(status: number): boolean {
  return status < 500 && status !== 404 && status !== 401 && status !== 403 && status !== 429;
}
