import { Type } from '@sinclair/typebox';
import { ServiceError } from '../../common/service_error.ts';
import { NO_TARGET } from '../../operations/target.ts';
import { readTargets } from '../parameters/bulk.ts';
import { readFormat } from '../parameters/format.ts';
import {
  BULK_TARGET_PARAMETERS,
  FORMAT_AND_SIGN,
  TIMESTAMP_PARAMETERS,
  UtcFlag,
} from '../parameters/schemas.ts';
import { rejectSeveralSelectors, TARGET_NAMES_WITH_UTC } from '../parameters/selector.ts';
import { readRequiredTimestamp, rejectSeveralTimestamps, TIMESTAMP_NAMES } from '../parameters/timestamp.ts';
import type { JsonRoute } from '../route.ts';
import { BulkPayload, timesAnswer } from '../time_payloads.ts';

export const convertRoute: JsonRoute = {
  path: '/v1/time/convert',
  summary: 'A timestamp as the time of a place, or of several',
  description:
    'Takes exactly one timestamp and one target. A local `iso` is read in the place of its hint, be it a `source_` ' +
    'parameter or a zone in brackets, and in UTC without. Where a clock change skips a local time it moves forward by ' +
    'the length of the gap; where one happens twice the earlier is meant: `disambiguation` chooses otherwise. Lists ' +
    'are answered as on `/v1/time/current`.',
  query: Type.Object({
    ...TIMESTAMP_PARAMETERS,
    ...BULK_TARGET_PARAMETERS,
    utc: Type.Optional(UtcFlag),
    ...FORMAT_AND_SIGN,
  }),
  answer: BulkPayload,
  examples: [
    { title: 'From Paris to Kolkata', query: 'iso=2026-07-01T09:00&source_tz=Europe/Paris&tz=Asia/Kolkata' },
    { title: 'Unix seconds', query: 'unix=1776274247&tz=America/New_York' },
    { title: 'Several offsets', query: 'unix=0&offset=-08:00,%2B05:45' },
    {
      title: 'A time that is skipped',
      query: 'iso=2026-03-08T02:30&source_tz=America/New_York&disambiguation=reject&utc=true',
    },
    { title: 'Not a timestamp', query: 'unix=1.5&utc=true' },
  ],
  prepare({ query, caller, services }) {
    rejectSeveralTimestamps(query, TIMESTAMP_NAMES);
    rejectSeveralSelectors(query, TARGET_NAMES_WITH_UTC);
    const instant = readRequiredTimestamp(query, TIMESTAMP_NAMES, services);
    const targets = readTargets(query, TARGET_NAMES_WITH_UTC, services, caller);
    if ('single' in targets && targets.single === null) {
      throw new ServiceError(
        'MISSING_TARGET',
        "A target is missing: give 'tz', 'ip', 'lat' and 'lon', 'offset', 'auto_tz=true' or 'utc=true'",
      );
    }
    return timesAnswer(instant.epochMs, targets, NO_TARGET, readFormat(query));
  },
};
