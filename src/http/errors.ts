import { type Static, Type } from '@sinclair/typebox';
import { type ErrorCode, ServiceError } from '../common/service_error.ts';

/** The HTTP status of every error code. */
export const STATUS_OF: Readonly<Record<ErrorCode, number>> = {
  INVALID_PARAMETER: 400,
  AMBIGUOUS_TARGET: 400,
  INVALID_TIMESTAMP: 400,
  MISSING_TARGET: 400,
  UNAUTHORIZED: 401,
  INVALID_AUTH: 401,
  SUBSCRIPTION_INACTIVE: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  RATE_LIMITED: 429,
  QUOTA_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
  DEPENDENCY_NOT_READY: 501,
  SIGNING_NOT_READY: 501,
  UPSTREAM_FAILURE: 502,
};

/** The body of every error. */
export const ErrorBody = Type.Object({
  error: Type.Object({
    code: Type.Union(Object.keys(STATUS_OF).map(code => Type.Literal(code as ErrorCode))),
    message: Type.String(),
    details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
  request_id: Type.String(),
});
export type ErrorBody = Static<typeof ErrorBody>;

/** The body that tells a caller of an error. */
export function errorBody(error: ServiceError, requestId: string): ErrorBody {
  const { code, message, details } = error;
  return {
    error: details === undefined ? { code, message } : { code, message, details },
    request_id: requestId,
  };
}

/** Any thrown value as an error for the caller: what is not a {@link ServiceError} is a bug, and tells nothing. */
export function asServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  return new ServiceError('INTERNAL_ERROR', 'The server failed to answer; its log knows why');
}
