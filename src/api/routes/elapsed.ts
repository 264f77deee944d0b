import { Type } from '@sinclair/typebox';
import { type Query, rejectSeveral } from '../../http/query.ts';
import { ElapsedPayload, elapsed } from '../../operations/elapsed.ts';
import type { Instant } from '../../operations/instant.ts';
import { NO_TARGET } from '../../operations/target.ts';
import { atInstant } from '../answer.ts';
import { readBusinessDays } from '../parameters/business_days.ts';
import { readDurationFormat } from '../parameters/format.ts';
import {
  COMPARISON_PARAMETERS,
  DURATION_PARAMETERS,
  TARGET_PARAMETERS,
  TIMESTAMP_PARAMETERS,
} from '../parameters/schemas.ts';
import {
  readSelector,
  rejectSeveralSelectors,
  suppliedSelectors,
  TARGET_NAMES,
} from '../parameters/selector.ts';
import {
  COMPARISON_NAMES,
  readRequiredTimestamp,
  readTimestamp,
  rejectSeveralTimestamps,
  suppliedForms,
  TIMESTAMP_NAMES,
} from '../parameters/timestamp.ts';
import type { JsonRoute } from '../route.ts';

export const elapsedRoute: JsonRoute = {
  path: '/v1/time/elapsed',
  summary: 'How long ago a timestamp was, or how long it is until then',
  description:
    'The reference is compared with the present, or with `compare_unix`, `compare_unix_ms` or `compare_iso`. ' +
    '`direction` is `passed` for a reference in the past and `left` for one to come. A target selector says where the ' +
    'dates of `business_days` are read.',
  query: Type.Object({
    ...TIMESTAMP_PARAMETERS,
    ...COMPARISON_PARAMETERS,
    ...TARGET_PARAMETERS,
    ...DURATION_PARAMETERS,
  }),
  answer: ElapsedPayload,
  examples: [
    { title: 'Since an instant', query: 'unix=1776000000' },
    {
      title: 'Until a local time, in business days',
      query: 'iso=2026-12-24T18:00&source_tz=Europe/Berlin&business_days=true&holiday_country=DE',
    },
    {
      title: 'From one local time to another',
      query:
        'iso=2026-03-08T01:00&source_tz=America/New_York&compare_iso=2026-03-08T09:00&compare_source_tz=Europe/Paris',
    },
    { title: 'Without a reference', query: 'tz=Asia/Tokyo' },
  ],
  prepare({ query, caller, services }) {
    rejectAmbiguity(query);
    const reference = readRequiredTimestamp(query, TIMESTAMP_NAMES, services);
    const comparison = readTimestamp(query, COMPARISON_NAMES, services);
    const place = readSelector(query, TARGET_NAMES, services, caller) ?? NO_TARGET;
    const format = readDurationFormat(query);
    const businessDays = readBusinessDays(query, services);
    // The selector's zone is that of both sides; a reference that came with a place of its own keeps that.
    const placed: Instant = reference.frame === NO_TARGET ? { ...reference, frame: place } : reference;
    return atInstant(comparison?.epochMs, epochMs => {
      const compared = comparison ?? { epochMs, frame: place };
      return JSON.stringify(elapsed(placed, compared, businessDays, format));
    });
  },
};

function rejectAmbiguity(query: Query): void {
  rejectSeveralTimestamps(query, TIMESTAMP_NAMES);
  rejectSeveralTimestamps(query, COMPARISON_NAMES);
  rejectSeveralSelectors(query, TARGET_NAMES);
  const [comparison] = suppliedForms(query, COMPARISON_NAMES);
  const [selector] = suppliedSelectors(query, TARGET_NAMES);
  if (comparison === undefined || selector === undefined) return;
  rejectSeveral([comparison, selector], 'a reference is compared with one of them');
}
