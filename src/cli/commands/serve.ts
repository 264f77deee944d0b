import type { DependencyStatus } from '../../http/snapshot.ts';
import { checkDescriptorLimit } from '../../server/descriptors.ts';
import { jsonPrinter, openServerLog } from '../../server/log.ts';
import { nameProcess } from '../../server/programs.ts';
import type { Reloadable } from '../../server/reload.ts';
import { runServer } from '../../server/run_server.ts';
import { RELOADED_SETTINGS } from '../../server/snapshot.ts';
import { type Environment, stateDirectory } from '../../server/state_directory.ts';
import { supervise } from '../../server/supervisor.ts';
import { readAssignment, workerNumber } from '../../server/worker.ts';
import { defineCommand } from '../command.ts';
import { argumentsFor, INSTALL_SETTINGS, reloadedFiles, SERVE_FLAGS, type ServeSettings } from '../flags.ts';
import {
  type CommandLine,
  checkConflicts,
  environmentVariable,
  strayVariables,
  strayVariableText,
  visibleSecrets,
} from '../settings.ts';

export const serveCommand = defineCommand({
  name: 'serve',
  synopsis: '[flags]',
  summary: 'run the server (the default)',
  flags: SERVE_FLAGS,
  usesState: true,
  async run(line, context, reread) {
    const { settings, given, configPath } = line;
    const { environment } = context;
    nameProcess();
    const assignment = readAssignment(environment);
    const log = openServerLog(settings, assignment && workerNumber(assignment), context);
    const print = settings['log-format'] === 'json' ? jsonPrinter(context.print) : context.print;
    checkConflicts(line);
    if (assignment === null) {
      for (const stray of strayVariables(environment)) log.warn(strayVariableText(stray));
      for (const warning of visibleSecrets(given)) log.warn(warning);
      checkDescriptorLimit(log);
      if (settings.workers > 1)
        return supervise(
          settings,
          { environment, print },
          log,
          stateDirectory(settings['state-dir'], environment),
        );
    }
    await runServer({
      settings,
      context: { environment, print },
      assignment,
      log,
      config: configPath === null ? null : reloadableConfig(line, environment, reread),
      reloadedFiles: [...reloadedFiles(settings), ...(configPath === null ? [] : [configPath])],
      installFlags: argumentsFor(INSTALL_SETTINGS, given),
    });
    return 0;
  },
});

type ServeLine = CommandLine<typeof SERVE_FLAGS>;

/**
 * The configuration of a running server: a reload applies changes of the {@link RELOADED_SETTINGS} and reports those that
 * require a restart. `reread` parses the command line with the file as it is now.
 */
function reloadableConfig(started: ServeLine, environment: Environment, reread: () => ServeLine) {
  let pending: readonly string[] = [];
  const notice = () => (pending.length === 0 ? [] : [`restart required to apply ${pending.join(', ')}`]);
  return {
    reloadable: (apply: (settings: ServeSettings) => void): Reloadable => ({
      name: 'config',
      reload() {
        const line = reread();
        checkConflicts(line);
        apply(line.settings);
        const changed = changedSettings(line);
        pending = changed.filter(name => !RELOADED_SETTINGS.includes(name));
        const applied = changed.filter(name => RELOADED_SETTINGS.includes(name));
        const effect = applied.length === 0 ? 'no change applied' : `applied ${applied.join(', ')}`;
        return [effect, ...notice()].join('; ');
      },
      pending: () => pending,
    }),
    /** The line in `/readyz` about changes that require a restart. */
    status: (): DependencyStatus[] => notice().map(detail => ({ name: 'config', state: 'warning', detail })),
  };

  /** The settings whose text in the file differs from that at the start, and is not overridden. */
  function changedSettings({ inFile }: ServeLine): string[] {
    const { given, inFile: before } = started;
    const names = [...new Set([...before.keys(), ...inFile.keys()])];
    const isOverridden = (name: string) => given.has(name) || environment[environmentVariable(name)];
    return names.filter(
      name => !isOverridden(name) && before.get(name)?.join('\n') !== inFile.get(name)?.join('\n'),
    );
  }
}
