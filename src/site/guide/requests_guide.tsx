import { Html } from '@elysiajs/html';

/** How query strings are read. */
export function RequestsGuide(): JSX.Element {
  return (
    <>
      <p>
        Every request is a GET, its query string holds all there is to say, and its answer is JSON. HEAD is
        answered with the same headers, OPTIONS answers CORS preflights, and any other method is refused.
      </p>
      <ul>
        <li>
          A parameter that a route does not know is ignored, and named in{' '}
          <code>X-Service-Ignored-Parameters</code>, so that a misspelt one is found at once.
        </li>
        <li>
          A parameter given twice is an error, and so is one without a value that is no flag. White space is
          never trimmed.
        </li>
        <li>
          A flag is on when its value is exactly <code>true</code>; any other value, or none, is off.
        </li>
        <li>
          <code>+</code> stands for a space, and is read as <code>+</code> where a sign belongs.{' '}
          <code>%</code> without two hex digits stands for itself: <code>format=%Y-%m-%d</code> can be typed
          as it is.
        </li>
        <li>A query string has at most 8,192 characters.</li>
        <li>
          An <code>X-Request-Id</code> of 1 to 128 letters, digits, <code>.</code>, <code>_</code> and{' '}
          <code>-</code> is kept; without one the answer has a new UUID.
        </li>
      </ul>
    </>
  );
}
