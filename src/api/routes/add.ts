import { Type } from '@sinclair/typebox';
import { ServiceError } from '../../common/service_error.ts';
import type { Query } from '../../http/query.ts';
import { addTo } from '../../operations/add.ts';
import { NO_TARGET } from '../../operations/target.ts';
import { TimePayload } from '../../operations/time_payload.ts';
import { timeJson } from '../../text/json_text.ts';
import { atInstant } from '../answer.ts';
import { readFormat } from '../parameters/format.ts';
import { parseAmount } from '../parameters/number.ts';
import {
  AMOUNTS,
  FORMAT_AND_SIGN,
  TARGET_PARAMETERS,
  TIMESTAMP_PARAMETERS,
  UtcFlag,
} from '../parameters/schemas.ts';
import { readSelector, rejectSeveralSelectors, TARGET_NAMES_WITH_UTC } from '../parameters/selector.ts';
import { readTimestamp, rejectSeveralTimestamps, TIMESTAMP_NAMES } from '../parameters/timestamp.ts';
import type { JsonRoute } from '../route.ts';

export const addRoute: JsonRoute = {
  path: '/v1/time/add',
  summary: 'A timestamp moved by days, hours, minutes and seconds',
  description:
    'Moves a timestamp, or the present without one, by the sum of whole amounts. A day is 86,400 seconds: the amounts ' +
    'move the instant, and the target only says where the result is shown.',
  query: Type.Object({
    ...TIMESTAMP_PARAMETERS,
    days: Type.Optional(AMOUNTS.days),
    hours: Type.Optional(AMOUNTS.hours),
    minutes: Type.Optional(AMOUNTS.minutes),
    seconds: Type.Optional(AMOUNTS.seconds),
    ...TARGET_PARAMETERS,
    utc: Type.Optional(UtcFlag),
    ...FORMAT_AND_SIGN,
  }),
  answer: TimePayload,
  examples: [
    { title: 'In 30 days', query: 'days=30&tz=Australia/Lord_Howe' },
    {
      title: 'Across a change of the clock',
      query: 'iso=2026-10-25T00:30&source_tz=Europe/London&minutes=120&tz=Europe/London',
    },
    { title: '90 minutes before', query: 'unix=1776274247&minutes=-90&utc=true' },
    { title: 'Nothing to add', query: 'tz=UTC' },
  ],
  prepare({ query, caller, services }) {
    rejectSeveralTimestamps(query, TIMESTAMP_NAMES);
    rejectSeveralSelectors(query, TARGET_NAMES_WITH_UTC);
    const base = readTimestamp(query, TIMESTAMP_NAMES, services);
    const amounts = {
      days: readAmount(query, 'days'),
      hours: readAmount(query, 'hours'),
      minutes: readAmount(query, 'minutes'),
      seconds: readAmount(query, 'seconds'),
    };
    if (Object.values(amounts).every(amount => amount === null)) {
      throw new ServiceError(
        'INVALID_PARAMETER',
        "An amount is missing: give 'days', 'hours', 'minutes' or 'seconds'",
      );
    }
    const target = readSelector(query, TARGET_NAMES_WITH_UTC, services, caller) ?? NO_TARGET;
    const format = readFormat(query);
    return atInstant(base?.epochMs, epochMs => timeJson(addTo(epochMs, amounts), target, format));
  },
};

function readAmount(query: Query, unit: keyof typeof AMOUNTS): number | null {
  const text = query.get(unit);
  return text === undefined ? null : parseAmount(text, unit, AMOUNTS[unit].maximum!);
}
