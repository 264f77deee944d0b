import type { CompiledCalendar } from '../calendars.ts';
import { countryOf } from '../codes.ts';
import { isoDateOf } from '../dates.ts';
import { splitLabel } from '../decisions/names.ts';

/** Names in the table that nothing decides, and decided names that are not in it, as messages. */
export function nameFaults(calendars: readonly CompiledCalendar[]): string[] {
  return [...Map.groupBy(calendars, ({ code }) => countryOf(code))].flatMap(([code, parts]) => {
    const { kinds, substitutes } = parts[0]!.names;
    const found = new Set(parts.flatMap(({ days }) => days.holidays.map(({ name }) => name)));
    const decided = new Set([...kinds.keys(), ...substitutes.keys()]);
    return [
      ...[...found.difference(decided)].map(
        name => `names.txt: [${code}] lacks '${name}': add it to 'law', 'yearly', 'once' or 'substitute'`,
      ),
      ...[...decided.difference(found)].map(name => `names.txt: [${code}] has '${name}', which no day has`),
    ];
  });
}

/** Days of a calendar that are substitutes by their name alone, as messages. */
export function statusFaults({ code, days, names }: CompiledCalendar): string[] {
  return days.holidays.flatMap(day => {
    const { dayNumber, name, isSubstitute } = day;
    const label = names.labels.get(splitLabel(name)?.label ?? '');
    return !isSubstitute && label === 'substitute'
      ? [`${code}: ${isoDateOf(dayNumber)} ${name} is a substitute by its name`]
      : [];
  });
}
