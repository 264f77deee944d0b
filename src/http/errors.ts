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
export const ErrorBody = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.Union(
          Object.keys(STATUS_OF).map(code => Type.Literal(code as ErrorCode)),
          {
            description: 'What went wrong, for programs.',
          },
        ),
        message: Type.String({
          description: 'What was wrong, in which parameter, and what would be right, for people.',
        }),
        details: Type.Optional(
          Type.Object(
            {},
            {
              additionalProperties: true,
              description: 'More of it for programs, such as lists of valid values.',
            },
          ),
        ),
      },
      { description: 'What went wrong.' },
    ),
    request_id: Type.String({ description: 'The `X-Request-Id` of the answer.' }),
  },
  { $id: 'Error', description: 'The body of every error.' },
);
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
