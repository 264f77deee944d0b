import { Type } from '@sinclair/typebox';
import { DiffPayload, diff } from '../../operations/diff.ts';
import { at, atInstant } from '../answer.ts';
import { readBusinessDays } from '../parameters/business_days.ts';
import { readDurationFormat } from '../parameters/format.ts';
import {
  DisambiguationText,
  DURATION_PARAMETERS,
  hintParameters,
  SpecifierText,
} from '../parameters/schemas.ts';
import { instantOfEnd, isPresent, readSpecifiers } from '../parameters/specifier.ts';
import type { JsonRoute } from '../route.ts';

export const diffRoute: JsonRoute = {
  path: '/v1/time/diff',
  summary: 'How long it is from one instant to another',
  description:
    'Each side is a specifier: a `key=value` of its own. `now`, `tz=`, `ip=` and `offset=` are the instant of the ' +
    'request. Durations are absolute, `direction` has the sign. `business_days=true` counts the days from the earlier ' +
    'date up to, and not including, the later one that are neither weekend nor, with `holiday_country`, a public ' +
    'holiday; the dates are read in the place that each side was given in.',
  query: Type.Object({
    from: SpecifierText,
    to: SpecifierText,
    ...hintParameters('from_', 'from=iso=…'),
    ...hintParameters('to_', 'to=iso=…'),
    disambiguation: Type.Optional(DisambiguationText),
    ...DURATION_PARAMETERS,
  }),
  answer: DiffPayload,
  examples: [
    {
      title: 'Between two instants',
      query: 'from=iso=2026-04-15T09:00:00Z&to=iso=2026-04-16T11:30:00Z&format=%25daysd%20%25hoursh',
    },
    {
      title: 'Business days in Bavaria',
      query:
        'from=iso=2026-12-21&to=iso=2027-01-11&business_days=true&holiday_country=DE&holiday_subdivision=BY',
    },
    { title: 'A side that is missing', query: 'from=now' },
  ],
  prepare({ query, services }) {
    const { from, to } = readSpecifiers(query, services);
    const format = readDurationFormat(query);
    const businessDays = readBusinessDays(query, services);
    const bodyAt = (nowMs: number) =>
      JSON.stringify(diff(instantOfEnd(from, nowMs), instantOfEnd(to, nowMs), businessDays, format));
    return isPresent(from) || isPresent(to) ? at(bodyAt) : atInstant(0, bodyAt);
  },
};
