import { localText, utcText } from '../../../common/iso_text.ts';
import type { Target } from '../../../operations/target.ts';
import { momentAt } from '../../../text/time_payload.ts';
import { targets } from '../../parameters/targets.ts';
import { textRoute } from '../../route.ts';

export const currentTextRoute = textRoute({
  path: '/v1/time/current.txt',
  summary: 'The current time in one or more places, as text',
  description:
    '`iso_local` of `/v1/time/current`, or `utc` without a selector, as a line; for a list, a line for each entry. Errors are ' +
    'lines, too.',
  contentType: 'text/plain; charset=utf-8',
  hasTextErrors: true,
  parameters: { targets },
  lifetime: 'moment',
  examples: [
    { title: 'One zone', query: 'tz=America/New_York' },
    { title: 'Several at once', query: 'tz=Europe/Paris,Asia/Kolkata,Mars/Olympus' },
    { title: 'A misspelt zone', query: 'tz=Europe/Pari' },
  ],
  handle({ targets }, { nowMs }) {
    const entries = 'periodAt' in targets ? [targets] : targets;
    const lines = entries.map(entry => ('error' in entry ? entry.error.message : timeText(nowMs, entry)));
    return lines.map(line => `${line}\n`).join('');
  },
});

function timeText(epochMs: number, target: Target): string {
  return target.hasLocalTime ? localText(momentAt(epochMs, target)) : utcText(epochMs);
}
