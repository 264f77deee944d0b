import { mkdirSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { oneLine, UsageError } from '../../common/errors.ts';
import { type CommandContext, defineCommand } from '../command.ts';
import { SERVE_FLAGS, SERVE_TABLE } from '../flags.ts';
import { type CommandLine, checkConflicts, type SettingTexts, unknownName } from '../settings.ts';

type ServeLine = CommandLine<typeof SERVE_FLAGS>;

const DESCRIPTION = 'Time and time-zone HTTP service';

/** The actions. `run` is invoked by the Service Control Manager. */
const ACTIONS: Readonly<Record<string, (line: ServeLine, context: CommandContext) => Promise<number>>> = {
  install,
  uninstall,
  run,
};

export const serviceCommand = defineCommand({
  name: 'service',
  synopsis: 'install [flags of serve] | uninstall',
  summary: 'install or uninstall a Windows service that runs with these flags',
  flags: SERVE_FLAGS,
  actions: ['install', 'uninstall'],
  takesOperands: true,
  ignoresEnvironment: true,
  // A starting service must connect to the manager before it can report invalid settings.
  reportsFaults: true,
  settingsNote:
    'Flags can also be set by name in the --config file; a flag overrides it. The environment of this terminal is not used, since the service does not inherit it.',
  async run(line, context) {
    const [name = '', ...rest] = line.operands;
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (name === '') throw new UsageError('service requires an action: install, uninstall');
    if (action === undefined) throw unknownName(`command 'service ${name}'`, name, ['install', 'uninstall']);
    if (rest.length > 0) throw new UsageError(`service ${name} takes flags only`);
    if (process.platform !== 'win32')
      throw new UsageError("service is for Windows; on Linux see 'meridian help systemd'");
    return action(line, context);
  },
});

/** Loaded only on Windows. */
const loadManager = () => import('../../server/windows/service_manager.ts');

async function install(line: ServeLine, { environment, print }: CommandContext): Promise<number> {
  const { createService, restrictToService, SERVICE_NAME, serviceDirectory } = await loadManager();
  if (line.faults[0] !== undefined) throw new UsageError(line.faults[0]);
  checkConflicts(line.settings);
  checkSecrets(line.given);
  const state = resolve(line.settings['state-dir'] ?? serviceDirectory(environment));
  const given = new Map([...pathsOfFile(line), ...line.given, ['state-dir', [state]] as const]);
  await createService(
    [process.execPath, 'service', 'run', ...serveArguments(given)],
    DESCRIPTION,
    environment,
  );
  mkdirSync(state, { recursive: true });
  await restrictToService(state, environment);
  print(`Installed the service '${SERVICE_NAME}'. It starts with Windows; to start it now:

  sc.exe start ${SERVICE_NAME}

State directory, for --state-dir of tokens, keys and data: ${state}
Log: ${logPath(state)}`);
  return 0;
}

async function uninstall(line: ServeLine, { environment, print }: CommandContext): Promise<number> {
  const [flag] = line.given.keys();
  if (flag !== undefined) throw new UsageError(`--${flag}: service uninstall takes no flags`);
  const { deleteService, SERVICE_NAME } = await loadManager();
  await deleteService(environment);
  print(`Uninstalled the service '${SERVICE_NAME}'. Its state directory remains.`);
  return 0;
}

/** Runs the server as a service: the manager replaces the terminal, and a log file replaces stderr. */
async function run({ given, settings }: ServeLine, context: CommandContext): Promise<number> {
  const [{ SERVICE_NAME, serviceDirectory }, { ServiceControl }, { rotatingFile }, { serveCommand }] =
    await Promise.all([
      loadManager(),
      import('../../server/windows/service_control.ts'),
      import('../../server/windows/rotating_file.ts'),
      import('./serve.ts'),
    ]);
  const control = await ServiceControl.connect(SERVICE_NAME, () => process.emit('SIGTERM'));
  const state = settings['state-dir'] ?? serviceDirectory(context.environment);
  mkdirSync(state, { recursive: true });
  const logSink = rotatingFile(logPath(state));
  let exitCode = 1;
  try {
    // `serve` prints its addresses once it accepts connections.
    const print = () => control.running();
    exitCode = await serveCommand.run(serveArguments(given), { ...context, print, logSink });
  } catch (error) {
    await logSink(Buffer.from(`${new Date().toISOString()} ${oneLine(error)}\r\n`));
  } finally {
    control.stopped(exitCode);
  }
  return exitCode;
}

function logPath(state: string): string {
  return join(state, 'meridian.log');
}

/** Rejects secret flags, since every user can read the command lines of services. */
function checkSecrets(given: SettingTexts): void {
  const name = [...given.keys()].find(name => SERVE_TABLE[name]?.secret === 'value');
  if (name !== undefined)
    throw new UsageError(
      `--${name}: every user could read it in the service's command line: put it in the --config file`,
    );
}

/** The file's settings that are relative paths, since the service starts in a different directory. */
function pathsOfFile({ given, inFile }: ServeLine): SettingTexts {
  return new Map(
    [...inFile].filter(([name, texts]) => !given.has(name) && isPath(name) && !texts.every(isAbsolute)),
  );
}

/** The flags, with absolute paths. */
function serveArguments(texts: SettingTexts): string[] {
  return [...texts].flatMap(([name, values]) =>
    values.map(text => `--${name}=${isPath(name) ? resolve(text) : text}`),
  );
}

function isPath(name: string): boolean {
  return ['FILE', 'DIR'].includes(SERVE_TABLE[name]?.argument ?? '');
}
