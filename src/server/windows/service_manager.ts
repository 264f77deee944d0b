import { join } from 'node:path';
import type { Environment } from '../state_directory.ts';

/** The name under which the service is installed. */
export const SERVICE_NAME = 'meridian';

/** The account that the service runs as, and its security identifier, since the name depends on the language of Windows. */
const ACCOUNT = 'NT AUTHORITY\\LocalService';
const SERVICE_SID = '*S-1-5-19';
const SYSTEM_SID = '*S-1-5-18';
const ADMINISTRATORS_SID = '*S-1-5-32-544';

/** The actions after the first, second and each further failure; the count is reset after a day. */
const FAILURE_ACTIONS = 'restart/5000/restart/5000/restart/60000';
const FAILURE_RESET_SECONDS = 86_400;

/** Messages for Windows error codes (winerror.h), which are the exit codes of `sc.exe` and `icacls.exe`. */
const ERRORS: readonly (readonly [number, string])[] = [
  [5, "this requires administrator rights: open a terminal with 'Run as administrator'"],
  [1060, `the service '${SERVICE_NAME}' is not installed`],
  [1072, `the service '${SERVICE_NAME}' is being removed: close the programs that show services`],
  [1073, `the service '${SERVICE_NAME}' is already installed: uninstall it first`],
];
const ERROR_SERVICE_NOT_ACTIVE = 1062;

/** Requests in flight have 10 s. */
const STOP_TIMEOUT_MS = 20_000;
const POLL_MS = 100;

/** Creates the service, which runs as LocalService, starts with the system and is restarted after failures. */
export async function createService(
  command: readonly string[],
  description: string,
  environment: Environment,
): Promise<void> {
  const sc = (...args: string[]) => runTool('sc.exe', args, environment);
  const commandLine = command.map(quotedArgument).join(' ');
  await sc('create', SERVICE_NAME, 'binPath=', commandLine, 'start=', 'auto', 'obj=', ACCOUNT);
  await sc('description', SERVICE_NAME, description);
  await sc('failure', SERVICE_NAME, 'reset=', String(FAILURE_RESET_SECONDS), 'actions=', FAILURE_ACTIONS);
}

/** Stops the service if it runs, and removes it when its process has ended, so that the executable can be deleted. */
export async function deleteService(environment: Environment): Promise<void> {
  await runTool('sc.exe', ['stop', SERVICE_NAME], environment, [ERROR_SERVICE_NOT_ACTIVE]);
  await waitUntilStopped(environment);
  await runTool('sc.exe', ['delete', SERVICE_NAME], environment);
}

/** Waits for a service that is stopping; `sc.exe stop` does not. */
async function waitUntilStopped(environment: Environment): Promise<void> {
  const deadlineMs = performance.now() + STOP_TIMEOUT_MS;
  // The name of the state is the same in all languages of Windows.
  while (!/\bSTOPPED\b/.test(await runTool('sc.exe', ['query', SERVICE_NAME], environment))) {
    if (performance.now() > deadlineMs) throw new Error(`the service '${SERVICE_NAME}' does not stop`);
    await Bun.sleep(POLL_MS);
  }
}

/** Restricts a folder to administrators, the system and the service: folders in %ProgramData% are readable by all users. */
export async function restrictToService(folder: string, environment: Environment): Promise<void> {
  const grants = [`${SERVICE_SID}:(OI)(CI)M`, `${SYSTEM_SID}:(OI)(CI)F`, `${ADMINISTRATORS_SID}:(OI)(CI)F`];
  await runTool('icacls.exe', [folder, '/inheritance:r', '/grant:r', ...grants], environment);
}

/** The state directory of the service. */
export function serviceDirectory({ ProgramData = 'C:\\ProgramData' }: Environment): string {
  return join(ProgramData, 'meridian');
}

/** Runs a Windows tool and returns its output; exit codes other than 0 and the accepted ones are errors. */
async function runTool(
  name: string,
  args: readonly string[],
  { SystemRoot = 'C:\\Windows' }: Environment,
  accepted: readonly number[] = [],
): Promise<string> {
  // Not looked up in PATH, since administrators run this.
  const child = Bun.spawn([join(SystemRoot, 'System32', name), ...args], { stdout: 'pipe', stderr: 'pipe' });
  const [output, exitCode] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  if (exitCode !== 0 && !accepted.some(code => isCode(exitCode, code)))
    throw toolError(name, exitCode, output);
  return output;
}

/** The error for an exit code of a Windows tool. */
export function toolError(name: string, exitCode: number, output: string): Error {
  const known = ERRORS.find(([code]) => isCode(exitCode, code));
  const details = output.replace(/\s+/g, ' ').trim();
  return new Error(known?.[1] ?? `${name} failed with exit code ${exitCode}: ${details}`);
}

/** Bun 1.4 reports only the lowest eight bits of exit codes, which have 32 on Windows. */
function isCode(exitCode: number, code: number): boolean {
  return (exitCode & 0xff) === (code & 0xff);
}

/** An argument in a command line, quoted as Windows programs split it (`CommandLineToArgvW`). */
export function quotedArgument(text: string): string {
  if (/^[\w.:=@,+\\/-]+$/.test(text)) return text;
  return `"${text.replace(/(\\*)("|$)/g, (_, slashes, quote) => slashes + slashes + (quote && '\\"'))}"`;
}
