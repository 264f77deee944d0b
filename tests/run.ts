/**
 * Runs the tests: all of them, and then the fast ones again under two hostile host time zones.
 * Ends with the plain line `N passed, N failed, N skipped`, made from the runner's own totals.
 * With `--no-skips` a skipped test is a failure. Further arguments go to `bun test`.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';

/** Folders whose tests are fast and could depend on the zone of the host. */
const FAST = [
  'tests/common',
  'tests/text',
  'tests/zones',
  'tests/holidays',
  'tests/operations',
  'tests/http',
];
const HOST_ZONES = ['Pacific/Apia', 'America/St_Johns'];

interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly string[];
}

function runTests(paths: readonly string[], environment: Record<string, string>): Totals {
  const report = `dist/test-report-${Object.values(environment).join('-').replaceAll('/', '-') || 'host'}.xml`;
  mkdirSync('dist', { recursive: true });
  rmSync(report, { force: true });
  const { exitCode } = Bun.spawnSync(
    [
      process.execPath,
      'test',
      '--only-failures',
      // Nothing is timed: a busy machine may take its time.
      '--timeout=60000',
      '--reporter=junit',
      `--reporter-outfile=${report}`,
      ...paths,
    ],
    { stdout: 'inherit', stderr: 'inherit', stdin: 'ignore', env: { ...process.env, ...environment } },
  );
  if (!existsSync(report)) throw new Error(`bun test wrote no report and exited ${exitCode}`);
  const totals = readReport(readFileSync(report, 'utf8'));
  // A file that does not even load fails the run without failing a test.
  const failed = exitCode !== 0 && totals.failed === 0 ? 1 : totals.failed;
  return { ...totals, failed };
}

function readReport(xml: string): Totals {
  const root = /<testsuites [^>]*>/.exec(xml)?.[0] ?? '';
  const total = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(root)?.[1] ?? Number.NaN);
  const skipped = [...xml.matchAll(/<testcase name="([^"]*)"[^>]*>\s*<skipped/g)].map(match => match[1]!);
  const [tests, failed, skips] = [total('tests'), total('failures'), total('skipped')];
  if (![tests, failed, skips].every(Number.isInteger)) throw new Error(`the report has no totals: ${root}`);
  return { passed: tests - failed - skips, failed, skipped };
}

const isStrict = process.argv.includes('--no-skips');
const paths = process.argv.slice(2).filter(argument => argument !== '--no-skips');
const runs =
  paths.length > 0
    ? [runTests(paths, {})]
    : [runTests([], {}), ...HOST_ZONES.map(zone => runTests(FAST, { TZ: zone }))];

const skipped = runs.flatMap(run => run.skipped);
for (const name of new Set(skipped)) console.log(`skipped: ${name}`);
const passed = runs.reduce((sum, run) => sum + run.passed, 0);
const failed = runs.reduce((sum, run) => sum + run.failed, 0);
console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
if (failed > 0 || passed === 0 || (isStrict && skipped.length > 0)) process.exit(1);
