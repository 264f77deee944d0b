/**
 * Sets the timeout of all tests; `bunfig.toml` loads this file before them. Bun 1.4 has a flag for that but no setting, and
 * resets `setDefaultTimeout` before each file.
 */
import { plugin } from 'bun';

/** No test depends on timing: these limits are for tests that hang. */
const TIMEOUT_MS = process.env['MERIDIAN_PROOF'] === '1' ? 3_600_000 : 300_000;

plugin({
  name: 'test timeout',
  setup(build) {
    build.onLoad({ filter: /\.test\.tsx?$/ }, async ({ path, loader }) => ({
      loader,
      // On the first line, so that line numbers stay the same.
      contents: `(await import('bun:test')).setDefaultTimeout(${TIMEOUT_MS}); ${await Bun.file(path).text()}`,
    }));
  },
});
