/**
 * Sets the timeout of all tests, and emits `exit` after the last one; `bunfig.toml` loads this file before them. Bun 1.4 has a
 * flag for the timeout but no setting, and resets `setDefaultTimeout` before each file, so it is called again before each
 * definition. A plugin that rewrites the files would be simpler, but while there is a plugin Bun runs no macros, which the assets
 * of pages need.
 */
import * as bunTest from 'bun:test';

/** No test depends on timing: these limits are for tests that hang. */
const TIMEOUT_MS = process.env['MERIDIAN_PROOF'] === '1' ? 3_600_000 : 300_000;

const original = { ...bunTest };

/** `test` or one of its members, such as `test.each`, whose `this` is `owner`. */
function timed<Definer extends (...parameters: never[]) => unknown>(
  define: Definer,
  owner?: object,
): Definer {
  return new Proxy(define, {
    apply(target, _, parameters) {
      original.setDefaultTimeout(TIMEOUT_MS);
      return Reflect.apply(target, owner, parameters);
    },
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? timed(member as Definer, target) : member;
    },
  });
}

// Bun's test runner ends without it, and newFolder() removes folders then.
original.afterAll(() => process.emit('exit', 0), TIMEOUT_MS);

const { test, beforeAll, beforeEach, afterAll, afterEach } = original;
original.mock.module('bun:test', () => ({
  ...original,
  test: timed(test),
  beforeAll: timed(beforeAll),
  beforeEach: timed(beforeEach),
  afterAll: timed(afterAll),
  afterEach: timed(afterEach),
}));
