import { Type } from '@sinclair/typebox';
import { CalendarPayload, calendarDate } from '../../operations/calendar.ts';
import { NO_TARGET } from '../../operations/target.ts';
import { timeJson } from '../../text/json_text.ts';
import { atInstant } from '../answer.ts';
import { readFormat } from '../parameters/format.ts';
import { FORMAT_AND_SIGN, TARGET_PARAMETERS, TIMESTAMP_PARAMETERS, WeekFlag } from '../parameters/schemas.ts';
import { readSelector, rejectSeveralSelectors, TARGET_NAMES } from '../parameters/selector.ts';
import { readTimestamp, rejectSeveralTimestamps, TIMESTAMP_NAMES } from '../parameters/timestamp.ts';
import type { JsonRoute } from '../route.ts';

export const calendarRoute: JsonRoute = {
  path: '/v1/time/calendar',
  summary: 'The date of a timestamp in a place',
  description:
    'The date is that of the target: one instant can lie in two days, months and years at once. `week=true` adds the ' +
    'week of ISO 8601, whose years begin on the Monday of the week with the first Thursday.',
  query: Type.Object({
    ...TIMESTAMP_PARAMETERS,
    ...TARGET_PARAMETERS,
    week: Type.Optional(WeekFlag),
    ...FORMAT_AND_SIGN,
  }),
  answer: CalendarPayload,
  examples: [
    {
      title: 'With the ISO week',
      query: 'iso=2027-01-01T00:30&source_tz=Europe/London&tz=America/New_York&week=true',
    },
    { title: 'Today in Tokyo', query: 'tz=Asia/Tokyo' },
    { title: 'Two targets', query: 'tz=Asia/Tokyo&offset=%2B09:00' },
  ],
  prepare({ query, caller, services }) {
    rejectSeveralTimestamps(query, TIMESTAMP_NAMES);
    rejectSeveralSelectors(query, TARGET_NAMES);
    const instant = readTimestamp(query, TIMESTAMP_NAMES, services);
    const target = readSelector(query, TARGET_NAMES, services, caller) ?? NO_TARGET;
    const withWeek = query.flag('week');
    const format = readFormat(query);
    return atInstant(instant?.epochMs, epochMs =>
      timeJson(epochMs, target, format, calendarDate(epochMs, target, withWeek)),
    );
  },
};
