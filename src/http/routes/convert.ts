import { Type } from '@sinclair/typebox';
import { ServiceError } from '../../common/service_error.ts';
import { NO_TARGET } from '../../operations/target.ts';
import { readTargets } from '../parameters/bulk.ts';
import { readFormat } from '../parameters/format.ts';
import { FORMAT_AND_SIGN, TARGET_PARAMETERS, TIMESTAMP_PARAMETERS, UtcFlag } from '../parameters/schemas.ts';
import { rejectSeveralSelectors, TARGET_NAMES_WITH_UTC } from '../parameters/selector.ts';
import { readRequiredTimestamp, rejectSeveralTimestamps, TIMESTAMP_NAMES } from '../parameters/timestamp.ts';
import type { JsonRoute } from '../route.ts';
import { BulkPayload, timePayloads } from '../time_payloads.ts';

export const convertRoute: JsonRoute = {
  path: '/v1/time/convert',
  summary: 'A timestamp as the time of a place, or of several',
  query: Type.Object({
    ...TIMESTAMP_PARAMETERS,
    ...TARGET_PARAMETERS,
    utc: Type.Optional(UtcFlag),
    ...FORMAT_AND_SIGN,
  }),
  answer: BulkPayload,
  handle(input) {
    const { query, caller, services } = input;
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
    return timePayloads(instant.epochMs, targets, NO_TARGET, readFormat(query), input.requestId);
  },
};
