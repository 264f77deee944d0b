import { realpathSync } from 'node:fs';
import { UsageError } from '../../common/usage_error.ts';
import type { Command } from '../command.ts';
import { SERVE_FLAGS, SETTING_NAMES } from '../flags.ts';
import { refuseConflicts } from '../setting_conflicts.ts';
import {
  environmentVariable,
  readCommandLine,
  type SettingSources,
  type SettingTexts,
  settingTexts,
} from '../settings.ts';
import { systemdUnit } from '../systemd_unit.ts';

export const systemdUnitCommand: Command = {
  name: 'systemd-unit',
  synopsis: '[flags of serve]',
  summary: 'print a hardened systemd unit for this binary and these flags',
  flags: SERVE_FLAGS,
  settingsNote:
    'Flags can be set by name in the file of --config too; a flag wins over it. The environment of this shell is not used: the service runs in another.',
  async run(args, context) {
    const sources = { ...context, environment: {} };
    const { settings, operands } = readCommandLine(SERVE_FLAGS, args, sources);
    if (operands.length > 0)
      throw new UsageError(`'${operands[0]}' is not understood: systemd-unit takes the flags of serve`);
    if (settings['state-dir'] !== null)
      throw new UsageError('--state-dir: the unit keeps its state in /var/lib/meridian');
    refuseConflicts(settings);
    const { 'admin-listen': admin } = settings;
    const { flags: given, file: inFile } = settingTexts(SERVE_FLAGS, args, sources);
    const unit = systemdUnit({
      executable: realpathSync(process.execPath),
      flags: SERVE_FLAGS,
      given,
      inFile,
      listen: admin === null ? settings.listen : [...settings.listen, admin],
      workers: settings.workers,
      logsAllRequests: settings['access-log'] === 'all',
      directory: process.cwd(),
    });
    context.print(unit);
    warnOfEnvironment(given, context);
    return 0;
  },
};

/** Names the settings of this environment that the service will not have. */
function warnOfEnvironment(given: SettingTexts, { environment }: SettingSources): void {
  const unused = ['config', ...SETTING_NAMES]
    .filter(name => !given.has(name) && Boolean(environment[environmentVariable(name)]))
    .map(environmentVariable);
  if (unused.length > 0) {
    console.error(`meridian: the environment has no part in the unit; not in it: ${unused.join(', ')}`);
  }
}
