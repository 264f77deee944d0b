import { Type } from '@sinclair/typebox';
import { DstPayload, dstStatus } from '../../operations/dst.ts';
import { NO_TARGET } from '../../operations/target.ts';
import { timeJson } from '../../text/json_text.ts';
import { at } from '../answer.ts';
import { readFormat } from '../parameters/format.ts';
import { FormatText, NextFlag, SignFlag, TARGET_PARAMETERS } from '../parameters/schemas.ts';
import { readSelector, rejectSeveralSelectors, TARGET_NAMES } from '../parameters/selector.ts';
import type { JsonRoute } from '../route.ts';

export const dstRoute: JsonRoute = {
  path: '/v1/time/dst',
  summary: 'Whether a place observes daylight saving time, and when its clock changes next',
  description:
    '`dst_active` means that the clock is ahead of what it is in the other part of the year; so it is true for Dublin ' +
    'in summer. A fixed offset never observes daylight saving time.',
  query: Type.Object({
    ...TARGET_PARAMETERS,
    format: Type.Optional(FormatText),
    next: Type.Optional(NextFlag),
    sign: Type.Optional(SignFlag),
  }),
  answer: DstPayload,
  examples: [
    { title: 'With the next change', query: 'tz=Europe/Dublin&next=true' },
    { title: 'A zone that never changes', query: 'tz=Asia/Kolkata&next=true' },
    { title: 'Not an offset', query: 'offset=5' },
  ],
  prepare({ query, caller, services }) {
    rejectSeveralSelectors(query, TARGET_NAMES);
    const target = readSelector(query, TARGET_NAMES, services, caller) ?? NO_TARGET;
    const format = readFormat(query);
    const withNext = query.flag('next');
    return at(nowMs => timeJson(nowMs, target, format, dstStatus(nowMs, target, withNext)));
  },
};
