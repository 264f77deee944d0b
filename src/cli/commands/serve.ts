import type { DependencyStatus } from '../../http/snapshot.ts';
import { openServerLog } from '../../server/log.ts';
import type { Reloadable } from '../../server/reload.ts';
import { runServer } from '../../server/run_server.ts';
import { RELOADED_SETTINGS } from '../../server/snapshot.ts';
import { controlPaths, type Environment, stateDirectory } from '../../server/state_directory.ts';
import { readAssignment, supervise } from '../../server/workers.ts';
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
    const assignment = readAssignment(environment);
    const log = openServerLog(settings, assignment?.index ?? null, context);
    checkConflicts(settings);
    if (assignment === null) {
      for (const stray of strayVariables(environment)) log.warn(strayVariableText(stray));
      for (const warning of visibleSecrets(given)) log.warn(warning);
      if (settings.workers > 1) {
        const paths = controlPaths(stateDirectory(settings['state-dir'], environment));
        return supervise(settings, context, log, paths);
      }
    }
    const config = new ChangedConfig(line, environment);
    await runServer({
      settings,
      context,
      assignment,
      log,
      config:
        configPath === null
          ? null
          : { reloadable: apply => config.reloadable(reread, apply), status: () => config.status() },
      reloadedFiles: [...reloadedFiles(settings), ...(configPath === null ? [] : [configPath])],
      installFlags: argumentsFor(INSTALL_SETTINGS, given),
    });
    return 0;
  },
});

type ServeLine = CommandLine<typeof SERVE_FLAGS>;

/** Configuration changes in a running server: a reload applies some and reports those that require a restart. */
export class ChangedConfig {
  readonly #started: ServeLine;
  readonly #environment: Environment;
  #pending: readonly string[] = [];

  /** `started`: the command line as parsed at the start. */
  constructor(started: ServeLine, environment: Environment) {
    this.#started = started;
    this.#environment = environment;
  }

  /** `reread` parses the command line with the file as it is now; `apply` takes the {@link RELOADED_SETTINGS}. */
  reloadable(reread: () => ServeLine, apply: (settings: ServeSettings) => void): Reloadable {
    return {
      name: 'config',
      reload: () => {
        const line = reread();
        checkConflicts(line.settings);
        apply(line.settings);
        const changed = this.#changedSettings(line);
        this.#pending = changed.filter(name => !RELOADED_SETTINGS.includes(name));
        const applied = changed.filter(name => RELOADED_SETTINGS.includes(name));
        const parts = [applied.length === 0 ? 'no change applied' : `applied ${applied.join(', ')}`];
        return [...parts, ...this.#notice()].join('; ');
      },
      pending: () => this.#pending,
    };
  }

  /** The line in `/readyz` about changes that require a restart. */
  status(): readonly DependencyStatus[] {
    return this.#notice().map(detail => ({ name: 'config', state: 'warning', detail }));
  }

  #notice(): string[] {
    return this.#pending.length === 0 ? [] : [`restart required to apply ${this.#pending.join(', ')}`];
  }

  /** The settings whose text in the file differs from that at the start, and is not overridden. */
  #changedSettings({ inFile }: ServeLine): string[] {
    const { given, inFile: before } = this.#started;
    const names = [...new Set([...before.keys(), ...inFile.keys()])];
    return names.filter(
      name =>
        !given.has(name) &&
        !this.#environment[environmentVariable(name)] &&
        before.get(name)?.join('\n') !== inFile.get(name)?.join('\n'),
    );
  }
}
