const ACCEPTED = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's `X-Request-Id` where it is fit for a header and a log, else a new UUID. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get('X-Request-Id');
  return given !== null && ACCEPTED.test(given) ? given : crypto.randomUUID();
}
