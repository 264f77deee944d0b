import { controlPaths } from '../../server/control_files.ts';
import { openServerLog } from '../../server/log.ts';
import { runServer } from '../../server/running/run_server.ts';
import { stateDirectory } from '../../server/state_directory.ts';
import { supervise } from '../../server/workers/supervisor.ts';
import { readAssignment, SINGLE_PROCESS } from '../../server/workers/worker_messages.ts';
import { ChangedConfig } from '../changed_config.ts';
import { defineCommand } from '../command.ts';
import { dataArguments, reloadedFiles, SERVE_FLAGS } from '../flags.ts';
import { checkConflicts } from '../setting_conflicts.ts';
import { visibleSecrets } from '../settings.ts';
import { strayVariables, strayVariableText } from '../stray_variables.ts';

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
    const log = openServerLog(settings, assignment ?? SINGLE_PROCESS, context);
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
      installFlags: dataArguments(given),
    });
    return 0;
  },
});
