import { rejectSeveral } from '../../http/query.ts';
import { ElapsedPayload, elapsed } from '../../operations/span.ts';
import { NO_TARGET, type Target } from '../../operations/target.ts';
import { usedCalendarDetails } from '../parameters/calendars.ts';
import type { InputFactory } from '../parameters/input.ts';
import { spanOptions } from '../parameters/span_options.ts';
import { suppliedTarget, target } from '../parameters/targets.ts';
import { comparison, requiredTimestamp, suppliedComparison } from '../parameters/timestamps.ts';
import { jsonRoute, withDetails } from '../route.ts';

/** The zone of the dates; it excludes a comparison, which has one of its own. */
const targetWithoutComparison: InputFactory<Target> = name => {
  const input = target(name);
  return {
    ...input,
    select(query) {
      const selected = input.select?.(query);
      const compared = suppliedComparison(query);
      const placed = compared && suppliedTarget(query);
      if (compared && placed) rejectSeveral([compared, placed], 'a timestamp is compared with one of them');
      return selected;
    },
  };
};

export const elapsedRoute = jsonRoute({
  path: '/v1/time/elapsed',
  summary: 'The time since a timestamp, or until it',
  description:
    'The timestamp is compared with the present, or with `compare_unix`, `compare_unix_ms` or `compare_iso`. ' +
    '`direction` is `passed` for a timestamp in the past and `left` for one in the future. A target selector chooses the zone ' +
    'of the dates of `business_days`, and of the calendar of `largest_unit`.',
  parameters: {
    reference: requiredTimestamp,
    comparison,
    target: targetWithoutComparison,
    options: spanOptions,
  },
  payload: ElapsedPayload,
  lifetime: ({ comparison }) => (comparison === null ? 'moment' : 'fixed'),
  examples: [
    { title: 'Since an instant', query: 'unix=1776000000' },
    {
      title: 'Until a local time, in business days',
      query: 'iso=2026-12-24T18:00&source_tz=Europe/Berlin&business_days=true&holiday_country=DE',
    },
    {
      title: 'An age in years, months and days',
      query: 'iso=1990-05-17&source_tz=Europe/Berlin&largest_unit=year',
    },
    {
      title: 'From one local time to another',
      query:
        'iso=2026-03-08T01:00&source_tz=America/New_York&compare_iso=2026-03-08T09:00&compare_source_tz=Europe/Paris',
    },
    { title: 'Without a timestamp', query: 'tz=Asia/Tokyo' },
  ],
  handle({ reference, comparison, target, options }, context) {
    // The zone of the target is that of both sides, except of a timestamp with a zone of its own.
    const placed = reference.frame === NO_TARGET ? { epochMs: reference.epochMs, frame: target } : reference;
    const compared = comparison ?? { epochMs: context.nowMs, frame: target };
    const json = elapsed(placed, compared, options);
    return withDetails(json, context, () => usedCalendarDetails(options.businessDays));
  },
});
