import { Type } from '@sinclair/typebox';
import { CURRENT_PATH } from '../../clock/server_paths.ts';
import { NO_TARGET } from '../../operations/target.ts';
import { readTargets } from '../parameters/bulk.ts';
import { readFormat } from '../parameters/format.ts';
import { BULK_TARGET_PARAMETERS, FORMAT_AND_SIGN } from '../parameters/schemas.ts';
import { rejectSeveralSelectors, TARGET_NAMES } from '../parameters/selector.ts';
import type { JsonRoute } from '../route.ts';
import { BulkPayload, timesAnswer } from '../time_payloads.ts';

export const currentRoute: JsonRoute = {
  path: CURRENT_PATH,
  summary: 'The current time of a place, or of several',
  description:
    'Without a selector the answer is in UTC, with `timezone` and `iso_local` null. A comma-separated `tz`, `ip` or ' +
    '`offset` is answered with an array in the order of the list; all its entries share one instant, and an entry ' +
    'that names no place fails in its place.',
  query: Type.Object({ ...BULK_TARGET_PARAMETERS, ...FORMAT_AND_SIGN }),
  answer: BulkPayload,
  examples: [
    { title: 'One zone', query: 'tz=America/New_York' },
    { title: 'Several at once', query: 'tz=Europe/Paris,Asia/Kolkata,Mars/Olympus' },
    { title: 'In your own form', query: 'tz=Asia/Tokyo&format=%A,+%-d+%B+%Y,+%H:%M+%Z' },
    { title: 'A fixed offset', query: 'offset=-03:30' },
    { title: 'A misspelt zone', query: 'tz=Europe/Pari' },
  ],
  prepare({ query, caller, services }) {
    rejectSeveralSelectors(query, TARGET_NAMES);
    const targets = readTargets(query, TARGET_NAMES, services, caller);
    return timesAnswer(undefined, targets, NO_TARGET, readFormat(query));
  },
};
