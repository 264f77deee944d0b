import { readLicenses } from '../../../data/licenses/embedded.ts';
import { defineCommand } from '../command.ts';
import { COMMON_FLAGS } from '../flags.ts';

export const licensesCommand = defineCommand({
  name: 'licenses',
  synopsis: '',
  summary: 'print the licences of everything in this binary',
  flags: COMMON_FLAGS,
  async run(_, context) {
    await context.write(readLicenses());
    return 0;
  },
});
