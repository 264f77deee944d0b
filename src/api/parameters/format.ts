import type { Query } from '../../http/query.ts';
import { type DurationTemplate, durationTemplateOf } from '../../text/duration.ts';
import type { Strftime } from '../../text/strftime.ts';
import { strftimeOf } from '../../text/strftime_of.ts';

/** The strftime pattern of `format`, or null without one. */
export function readFormat(query: Query): Strftime | null {
  const pattern = query.get('format');
  return pattern === undefined ? null : strftimeOf(pattern, 'format');
}

/** The duration template of `format`, or null without one. */
export function readDurationFormat(query: Query): DurationTemplate | null {
  const template = query.get('format');
  return template === undefined ? null : durationTemplateOf(template, 'format');
}
