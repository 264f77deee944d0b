import { realpathSync } from 'node:fs';
import type { Command } from '../command.ts';
import { SERVE_FLAGS } from '../flags.ts';
import { givenFlags, readCommandLine } from '../settings.ts';
import { systemdUnit } from '../systemd_unit.ts';
import { UsageError } from '../usage_error.ts';

export const systemdUnitCommand: Command = {
  name: 'systemd-unit',
  synopsis: '[flags of serve]',
  summary: 'print a hardened systemd unit for this binary and these flags',
  flags: SERVE_FLAGS,
  async run(args, context) {
    // The unit is for these flags: the environment of whoever prints it has nothing to do with the service.
    const { settings, operands } = readCommandLine(SERVE_FLAGS, args, { ...context, environment: {} });
    if (operands.length > 0)
      throw new UsageError(`'${operands[0]}' is not understood: systemd-unit takes the flags of serve`);
    if (settings['state-dir'] !== null)
      throw new UsageError('--state-dir: the unit keeps its state in /var/lib/meridian');
    const { 'admin-listen': admin } = settings;
    const unit = systemdUnit({
      executable: realpathSync(process.execPath),
      flags: SERVE_FLAGS,
      given: givenFlags(SERVE_FLAGS, args),
      listen: admin === null ? settings.listen : [...settings.listen, admin],
      workers: settings.workers,
      directory: process.cwd(),
    });
    context.print(unit);
    return 0;
  },
};
