import { quotedSigned, ServiceError, unreadable } from '../../common/service_error.ts';
import { MAX_EPOCH_MS } from '../../common/time_range.ts';
import type { Query } from '../../http/query.ts';
import { type Amounts, addTo } from '../../operations/add.ts';
import { TimePayload } from '../../text/time_payload.ts';
import { group, type InputFactory } from '../parameters/input.ts';
import { parseWholeNumber, strftimeFormat, whole } from '../parameters/schemas.ts';
import { targetOrUtc } from '../parameters/targets.ts';
import { timestamp } from '../parameters/timestamps.ts';
import { jsonRoute } from '../route.ts';
import { timeResponse } from '../time_response.ts';

const UNITS = {
  days: amount('days of 86,400 seconds', 86_400),
  hours: amount('hours', 3600),
  minutes: amount('minutes', 60),
  seconds: amount('seconds', 1),
};

/** The amounts to add; at least one is required. */
const amounts: InputFactory<Amounts> = group({
  parameters: UNITS,
  decode: decodeAmounts,
});

function decodeAmounts(query: Query): Amounts {
  const decoded = {} as Record<keyof Amounts, number | null>;
  for (const unit of Object.keys(UNITS) as (keyof Amounts)[]) {
    const value = query.get(unit);
    decoded[unit] = value === undefined ? null : parseAmount(value, unit, UNITS[unit].maximum!);
  }
  if (Object.values(decoded).some(value => value !== null)) return decoded;
  throw new ServiceError(
    'INVALID_PARAMETER',
    "An amount is missing: give 'days', 'hours', 'minutes' or 'seconds'",
  );
}

export const addRoute = jsonRoute({
  path: '/v1/time/add',
  summary: 'A timestamp moved by days, hours, minutes and seconds',
  description:
    'Moves a timestamp, or the present without one, by the sum of whole amounts. A day is 86,400 seconds: the amounts ' +
    'move the instant, and the target only chooses the zone of the result.',
  parameters: { instant: timestamp, amounts, target: targetOrUtc, format: strftimeFormat },
  payload: TimePayload,
  examples: [
    { title: 'In 30 days', query: 'days=30&tz=Australia/Lord_Howe' },
    {
      title: 'Across a change of the clock',
      query: 'iso=2026-10-25T00:30&source_tz=Europe/London&minutes=120&tz=Europe/London',
    },
    { title: '90 minutes before', query: 'unix=1776274247&minutes=-90&utc=true' },
    { title: 'Nothing to add', query: 'tz=UTC' },
  ],
  handle({ instant, amounts, target, format }, context) {
    return timeResponse(addTo(instant?.epochMs ?? context.nowMs, amounts), target, format, null, context);
  },
});

/** The schema of a number of units: at most the whole range of times. */
function amount(unit: string, unitSeconds: number) {
  const limit = Math.floor((2 * MAX_EPOCH_MS) / 1000 / unitSeconds);
  return whole(`Whole ${unit} to add; negative subtracts.`, -90, limit);
}

function parseAmount(value: string, unit: string, limit: number): number {
  const parsed = parseWholeNumber(value, unit, unit);
  if (Math.abs(parsed) <= limit) return parsed;
  throw unreadable(unit, `${quotedSigned(value)} is more than the whole range of times, ${limit} ${unit}`);
}
