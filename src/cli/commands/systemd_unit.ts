import { realpathSync } from 'node:fs';
import { UsageError } from '../../common/usage_error.ts';
import type { Environment } from '../../server/state_directory.ts';
import { defineCommand } from '../command.ts';
import { SERVE_FLAGS } from '../flags.ts';
import { checkConflicts } from '../setting_conflicts.ts';
import { environmentVariable, type SettingTexts } from '../settings.ts';
import { systemdUnit } from '../systemd_unit.ts';

export const systemdUnitCommand = defineCommand({
  name: 'systemd-unit',
  synopsis: '[flags of serve]',
  summary: 'print a hardened systemd unit for this binary and these flags',
  flags: SERVE_FLAGS,
  ignoresEnvironment: true,
  settingsNote:
    'Flags can also be set by name in the file of --config; a flag overrides it. The environment of this shell is not used: the service runs in another.',
  async run({ settings, given, inFile }, context) {
    if (settings['state-dir'] !== null)
      throw new UsageError('--state-dir: the state directory of the unit is /var/lib/meridian');
    checkConflicts(settings);
    const executable = realpathSync(process.execPath);
    context.print(systemdUnit({ settings, given, inFile, executable, directory: process.cwd() }));
    warnOfEnvironment(given, context.environment);
    return 0;
  },
});

/** Names the settings of this environment, which the service will not have. */
function warnOfEnvironment(given: SettingTexts, environment: Environment): void {
  const unused = Object.keys(SERVE_FLAGS)
    .filter(name => !given.has(name) && Boolean(environment[environmentVariable(name)]))
    .map(environmentVariable);
  if (unused.length > 0)
    console.error(`meridian: the unit does not include the environment: ${unused.join(', ')}`);
}
