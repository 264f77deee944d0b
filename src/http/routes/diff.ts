import { Type } from '@sinclair/typebox';
import { DiffPayload, diff } from '../../operations/diff.ts';
import { readBusinessDays } from '../parameters/business_days.ts';
import { readDurationFormat } from '../parameters/format.ts';
import {
  DisambiguationText,
  DURATION_PARAMETERS,
  hintParameters,
  SpecifierText,
} from '../parameters/schemas.ts';
import { readSpecifiers } from '../parameters/specifier.ts';
import type { JsonRoute } from '../route.ts';

export const diffRoute: JsonRoute = {
  path: '/v1/time/diff',
  summary: 'How long it is from one instant to another',
  query: Type.Object({
    from: SpecifierText,
    to: SpecifierText,
    ...hintParameters('from_'),
    ...hintParameters('to_'),
    disambiguation: Type.Optional(DisambiguationText),
    ...DURATION_PARAMETERS,
  }),
  answer: DiffPayload,
  handle({ query, nowMs, services }) {
    const { from, to } = readSpecifiers(query, nowMs, services);
    const format = readDurationFormat(query);
    return diff(from, to, readBusinessDays(query, services), format);
  },
};
