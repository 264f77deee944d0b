import { Type } from '@sinclair/typebox';
import { NO_TARGET } from '../../operations/target.ts';
import { readTargets } from '../parameters/bulk.ts';
import { readFormat } from '../parameters/format.ts';
import { FORMAT_AND_SIGN, TARGET_PARAMETERS } from '../parameters/schemas.ts';
import { rejectSeveralSelectors, TARGET_NAMES } from '../parameters/selector.ts';
import type { JsonRoute } from '../route.ts';
import { BulkPayload, timePayloads } from '../time_payloads.ts';

export const currentRoute: JsonRoute = {
  path: '/v1/time/current',
  summary: 'The current time of a place, or of several',
  query: Type.Object({ ...TARGET_PARAMETERS, ...FORMAT_AND_SIGN }),
  answer: BulkPayload,
  handle(input) {
    const { query, nowMs, caller, services } = input;
    rejectSeveralSelectors(query, TARGET_NAMES);
    const targets = readTargets(query, TARGET_NAMES, services, caller);
    return timePayloads(nowMs, targets, NO_TARGET, readFormat(query), input.requestId);
  },
};
