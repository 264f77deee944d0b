/**
 * The path and query of a request's URL, as a signature covers them. `new URL` would throw for some that Bun hands on:
 * a target of `CONNECT` has no scheme, and `http://[::1/` is what `Host: [::1` comes to.
 */
export function originFormOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + '://'.length);
  return start === -1 ? url : url.slice(start);
}

/** The path of a request's URL. */
export function pathnameOf(url: string): string {
  const path = originFormOf(url);
  const mark = path.indexOf('?');
  return mark === -1 ? path : path.slice(0, mark);
}
