import { readLicenses } from '../../../data/licenses/embedded.ts';
import { UsageError } from '../../common/usage_error.ts';
import type { Command } from '../command.ts';
import { COMMON_FLAGS } from '../flags.ts';
import { readCommandLine } from '../settings.ts';

export const licensesCommand: Command = {
  name: 'licenses',
  synopsis: '',
  summary: 'print the licences of everything that is inside',
  flags: COMMON_FLAGS,
  async run(args, context) {
    const { operands } = readCommandLine(COMMON_FLAGS, args, context);
    if (operands.length > 0) throw new UsageError('licenses takes no arguments');
    await context.write(readLicenses());
    return 0;
  },
};
