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

/** Stops the service if it runs, and removes it. */
export async function deleteService(environment: Environment): Promise<void> {
  await runTool('sc.exe', ['stop', SERVICE_NAME], environment, [ERROR_SERVICE_NOT_ACTIVE]);
  await runTool('sc.exe', ['delete', SERVICE_NAME], environment);
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

/** Runs a Windows tool; exit codes other than 0 and the accepted ones are errors. */
async function runTool(
  name: string,
  args: readonly string[],
  { SystemRoot = 'C:\\Windows' }: Environment,
  accepted: readonly number[] = [],
): Promise<void> {
  // Not looked up in PATH, since administrators run this.
  const child = Bun.spawn([join(SystemRoot, 'System32', name), ...args], { stdout: 'pipe', stderr: 'pipe' });
  const [output, exitCode] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  if (exitCode !== 0 && !accepted.some(code => isCode(exitCode, code)))
    throw toolError(name, exitCode, output);
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
