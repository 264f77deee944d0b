/**
 * Runs the tests in two processes at a time: all of them, those in this process under a hostile host time zone, and the fast
 * ones again under another.
 * Ends with the plain line `N passed, N failed, N skipped`, made from the runner's own totals.
 * With `--no-skips` a skipped test is a failure; `--proof` runs the exhaustive comparisons in full and nothing else.
 * Further arguments go to `bun test`.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';

/** Folders whose tests are fast and could depend on the host's time zone. */
const FAST = [
  'tests/common',
  'tests/text',
  'tests/zones',
  'tests/holidays',
  'tests/operations',
  'tests/http',
];

/** Folders whose tests mostly wait for other processes, so that they run in parallel with others. */
const BINARY = 'tests/binary/';
const CLOCK = 'tests/clock/';

/** The number of test processes that run in parallel. */
const LANES = 2;

function testFiles(): string[] {
  const files = [...new Bun.Glob('tests/**/*.test.ts').scanSync()].sort();
  return files.filter(file => !file.includes('/node_modules/'));
}

/** The tests that draw samples with `tests/support/proof.ts`. */
function proofs(): string[] {
  return testFiles().filter(file => readFileSync(file, 'utf8').includes("/proof.ts'"));
}

interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly string[];
  /** The location and message of each failure. */
  readonly failures: readonly string[];
}

/** Runs the tests of some files or folders; `name` is the name of the report. */
async function runTests(
  name: string,
  paths: readonly string[],
  environment: Record<string, string>,
): Promise<Totals> {
  const report = `dist/test-report-${name}.xml`;
  mkdirSync('dist', { recursive: true });
  rmSync(report, { force: true });
  const reporting = ['--only-failures', '--reporter=junit', `--reporter-outfile=${report}`];
  const child = Bun.spawn([process.execPath, 'test', ...ATTEMPTS, ...reporting, ...paths], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...environment },
  });
  const exitCode = await child.exited;
  if (!existsSync(report)) throw new Error(`bun test wrote no report and exited ${exitCode}`);
  const totals = readReport(readFileSync(report, 'utf8'));
  if (exitCode === 0 || totals.failed > 0) return totals;
  // A file that does not load, or an error between tests, fails the run without failing a test.
  const failure = `${name}: no test failed, but bun test exited ${child.signalCode ?? exitCode}`;
  return { ...totals, failed: 1, failures: [failure] };
}

const FAILURE =
  /<testcase name="([^"]*)"[^>]*? file="([^"]*)" line="(\d+)"[^>]*>\s*<failure[^>]*? message="([^"]*)"/g;
const MAX_FAILURE_LENGTH = 500;

function readReport(xml: string): Totals {
  const root = /<testsuites [^>]*>/.exec(xml)?.[0] ?? '';
  const total = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(root)?.[1] ?? Number.NaN);
  const skipped = [...xml.matchAll(/<testcase name="([^"]*)"[^>]*>\s*<skipped/g)].map(match => match[1]!);
  const failures = [...xml.matchAll(FAILURE)].map(([, name, file, line, message]) =>
    `${file}:${line}: ${name}: ${message}`.replaceAll('&#10;', ' ').slice(0, MAX_FAILURE_LENGTH),
  );
  const [tests, failed, skips] = [total('tests'), total('failures'), total('skipped')];
  if (![tests, failed, skips].every(Number.isInteger)) throw new Error(`the report has no totals: ${root}`);
  return { passed: tests - failed - skips, failed, skipped, failures };
}

const isStrict = process.argv.includes('--no-skips');
const isProof = process.argv.includes('--proof');
const paths = process.argv.slice(2).filter(argument => !['--no-skips', '--proof'].includes(argument));
/** Two lanes can keep a small machine so busy that a server misses a deadline: it then has a second attempt, and the log its error. */
const ATTEMPTS = isProof || paths.length > 0 ? [] : ['--retry=1'];

async function runAll(): Promise<Totals[]> {
  if (isProof) return [await runTests('proof', proofs(), { MERIDIAN_PROOF: '1' })];
  if (paths.length > 0) return [await runTests('chosen', paths, {})];
  const inProcess = testFiles().filter(file => !file.startsWith(BINARY) && !file.startsWith(CLOCK));
  return inLanes([
    () => runTests('binary', [BINARY], {}),
    () => runTests('in-process', inProcess, { TZ: 'Pacific/Apia' }),
    () => runTests('clock', [CLOCK], {}),
    () => runTests('fast', FAST, { TZ: 'America/St_Johns' }),
  ]);
}

/** Runs all in order in parallel lanes: a free lane takes the next one. */
async function inLanes(runs: readonly (() => Promise<Totals>)[]): Promise<Totals[]> {
  const totals: Totals[] = [];
  const next = runs.values();
  const lane = async () => {
    for (const run of next) totals.push(await run());
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return totals;
}

const runs = await runAll();

const skipped = runs.flatMap(run => run.skipped);
for (const name of new Set(skipped)) console.log(`skipped: ${name}`);
// Repeated at the end, where readers of a long log look first.
for (const failure of runs.flatMap(run => run.failures)) console.log(`failed: ${failure}`);
const passed = runs.reduce((sum, run) => sum + run.passed, 0);
const failed = runs.reduce((sum, run) => sum + run.failed, 0);
console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
if (failed > 0 || passed === 0 || (isStrict && skipped.length > 0)) process.exit(1);
