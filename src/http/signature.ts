import { type ErrorCode, ServiceError } from '../common/service_error.ts';
import { SIGNATURE_HEADERS, signResponse } from '../signing/sign_response.ts';
import { originFormOf } from './request_path.ts';
import type { Services } from './services.ts';

/** Errors of callers who are not let in: they get no signature. */
const UNAUTHENTICATED: ReadonlySet<ErrorCode> = new Set([
  'UNAUTHORIZED',
  'INVALID_AUTH',
  'SUBSCRIPTION_INACTIVE',
]);

/** Whether what is at a path can be signed: all of the API but the clock. */
export function canBeSigned(pathname: string): boolean {
  return pathname.startsWith('/v1/') && !/^\/v1\/time\/clock(\/|$)/.test(pathname);
}

/** An answer that is about to be sent. */
export interface Unsigned {
  readonly request: Request;
  readonly status: number;
  readonly body: string;
}

/** Adds the signature of an answer to its headers. Throws `SIGNING_NOT_READY` without a key. */
export function sign(headers: Headers, { request, status, body }: Unsigned, services: Services): void {
  const key = services.signing.current.active;
  if (key === undefined) throw new ServiceError('SIGNING_NOT_READY', 'This server has no signing key');
  const { url, method } = request;
  const path = originFormOf(url);
  const signature = signResponse(key, { status, method, path, body }, Math.floor(services.now() / 1000));
  for (const name of SIGNATURE_HEADERS) headers.set(name, signature[name]);
}

/** Adds the signature of an error's answer where there can be one: an error is told in any case. */
export function signError(headers: Headers, code: ErrorCode, answer: Unsigned, services: Services): void {
  if (UNAUTHENTICATED.has(code) || services.signing.current.active === undefined) return;
  try {
    sign(headers, answer, services);
  } catch (cause) {
    services.logError('an error could not be signed', cause);
  }
}
