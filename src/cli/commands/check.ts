import { visible } from '../../common/message_of.ts';
import { tokenStorePath } from '../../server/access.ts';
import { keyDirectory } from '../../server/signing_keys.ts';
import { defineCommand } from '../command.ts';
import { SERVE_FLAGS } from '../flags.ts';
import { inspectSettings } from '../inspection.ts';
import { accessReport, signingReport } from '../state_report.ts';
import { strayVariables, strayVariableText } from '../stray_variables.ts';

export const checkCommand = defineCommand({
  name: 'check',
  synopsis: '[flags of serve]',
  summary: 'check settings and their files as serve would; exit 1 on any fault',
  flags: SERVE_FLAGS,
  usesState: true,
  reportsFaults: true,
  async run({ settings, faults }, { environment, print }) {
    const inspection = await inspectSettings(settings, environment);
    const signing = await signingReport(keyDirectory(settings, environment));
    const access = accessReport(tokenStorePath(settings, environment));
    const found = [...faults, ...inspection.faults, signing.problem, access.problem].filter(
      fault => fault !== null,
    );
    const warnings = strayVariables(environment).map(strayVariableText);
    // A problem with a store may be found twice.
    const lines = [
      ...new Set(found.map(fault => `fault    ${visible(fault)}`)),
      ...warnings.map(text => `warning  ${text}`),
    ];
    print(found.length === 0 ? [...lines, 'no faults found'].join('\n') : lines.join('\n'));
    return found.length === 0 ? 0 : 1;
  },
});
