import { Type } from '@sinclair/typebox';
import { ServiceError } from '../../common/service_error.ts';
import { addTo } from '../../operations/add.ts';
import { NO_TARGET } from '../../operations/target.ts';
import { momentAt, TimePayload, timePayload } from '../../operations/time_payload.ts';
import { readFormat } from '../parameters/format.ts';
import { parseAmount } from '../parameters/number.ts';
import {
  AmountText,
  FORMAT_AND_SIGN,
  TARGET_PARAMETERS,
  TIMESTAMP_PARAMETERS,
  UtcFlag,
} from '../parameters/schemas.ts';
import { readSelector, rejectSeveralSelectors, TARGET_NAMES_WITH_UTC } from '../parameters/selector.ts';
import { readTimestamp, rejectSeveralTimestamps, TIMESTAMP_NAMES } from '../parameters/timestamp.ts';
import type { Query } from '../query.ts';
import type { JsonRoute } from '../route.ts';

const SECONDS_OF = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 } as const;

export const addRoute: JsonRoute = {
  path: '/v1/time/add',
  summary: 'A timestamp moved by days, hours, minutes and seconds',
  query: Type.Object({
    ...TIMESTAMP_PARAMETERS,
    days: Type.Optional(AmountText),
    hours: Type.Optional(AmountText),
    minutes: Type.Optional(AmountText),
    seconds: Type.Optional(AmountText),
    ...TARGET_PARAMETERS,
    utc: Type.Optional(UtcFlag),
    ...FORMAT_AND_SIGN,
  }),
  answer: TimePayload,
  handle({ query, nowMs, caller, services }) {
    rejectSeveralTimestamps(query, TIMESTAMP_NAMES);
    rejectSeveralSelectors(query, TARGET_NAMES_WITH_UTC);
    const base = readTimestamp(query, TIMESTAMP_NAMES, services)?.epochMs ?? nowMs;
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
    return timePayload(momentAt(addTo(base, amounts), target), target, format);
  },
};

function readAmount(query: Query, unit: keyof typeof SECONDS_OF): number | null {
  const text = query.get(unit);
  return text === undefined ? null : parseAmount(text, unit, SECONDS_OF[unit]);
}
