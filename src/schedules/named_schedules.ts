import { quoted } from '../common/service_error.ts';
import { parseOpeningHours } from './opening_hours.ts';
import type { Schedule } from './schedule.ts';

/** Valid names of schedules in a file. */
export const SCHEDULE_NAME = /^[a-z][a-z0-9-]*$/;

/** Schedules by name, with their text. */
export type NamedSchedules = ReadonlyMap<string, Schedule>;

/**
 * Reads a parsed file of schedules:
 *
 *     office = "Mo-Fr 09:00-17:30; PH off"
 *     support = "24/7"
 *
 * Throws an Error that names the entry and the expected value.
 */
export function readNamedSchedules(parsed: Readonly<Record<string, unknown>>): NamedSchedules {
  return new Map(
    Object.entries(parsed).map(([name, text]) => {
      if (!SCHEDULE_NAME.test(name)) {
        throw new Error(`${quoted(name)}: a name is lower-case letters, digits and '-', a letter first`);
      }
      if (typeof text !== 'string')
        throw new Error(`'${name}': a schedule is a text like "Mo-Fr 09:00-17:30"`);
      return [name, parseOpeningHours(text, name)];
    }),
  );
}
