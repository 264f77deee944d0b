import { quoted, unreadable } from '../../common/errors.ts';
import { listed } from '../../common/words.ts';
import type { Query } from '../../http/query.ts';
import type { Lifetime } from '../../http/response.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { type Instant, instantOf } from '../../operations/instant.ts';
import type { DataSets } from '../../operations/served_data.ts';
import { NO_TARGET, type Target } from '../../operations/target.ts';
import type { Disambiguation } from '../../zones/local_time.ts';
import { type DecodeContext, group, type InputFactory, text } from '../inputs.ts';
import { Hints } from './hints.ts';
import type { EndName } from './ranges.ts';
import { type Selection, TEXT_SELECTORS } from './selectors.ts';
import {
  DisambiguationText,
  decodeDisambiguation,
  parseIso,
  parseUnix,
  parseUnixMs,
  readsOfBrackets,
  type WallTime,
} from './timestamps.ts';

/** One end of `diff`: an instant, or the current time if `epochMs` is null. */
interface End {
  readonly epochMs: number | null;
  readonly frame: Target;
}

/** The instant of an end; `context.nowMs` is evaluated only if that is the current time. */
export function instantOfEnd({ epochMs, frame }: End, context: { readonly nowMs: number }): Instant {
  return { epochMs: epochMs ?? context.nowMs, frame };
}

/** The lifetime of a response for both ends of `diff`. */
export function lifetimeOfEnds({ ends }: { readonly ends: Readonly<Record<EndName, End>> }): Lifetime {
  return ends.from.epochMs === null || ends.to.epochMs === null ? 'moment' : 'fixed';
}

interface Form {
  readonly name: string;
  readonly placeholder: string;
  /** The data sets that {@link parse} reads for a value. */
  readonly readsOf: (value: string, snapshot: Snapshot) => DataSets;
  readonly parse: (value: string, end: EndName, query: Query, context: DecodeContext) => End | WallTime;
}

const ISO: Form = {
  name: 'iso',
  placeholder: '<ISO 8601>',
  readsOf: readsOfBrackets,
  parse: (value, end, query, { snapshot }) => parseIso(query, value, end, HINTS[end], snapshot),
};
const TIMESTAMPS: readonly Form[] = [
  { name: 'unix', placeholder: '<seconds>', readsOf: () => 0, parse: parseUnix },
  { name: 'unix_ms', placeholder: '<milliseconds>', readsOf: () => 0, parse: parseUnixMs },
  ISO,
];
/** The forms that select a place, whose instant is the current time. */
const PLACES: readonly Form[] = [...TEXT_SELECTORS].map(([name, { reads, text }]) => ({
  name,
  placeholder: text.placeholder,
  readsOf: text.readsOf ?? (() => reads),
  parse: (value, end, _, context) => ({ epochMs: null, frame: text.parse(value, end, context, true) }),
}));
const FORMS = new Map([...TIMESTAMPS, ...PLACES].map(form => [form.name, form]));
const FORMS_DATA = [...TEXT_SELECTORS.values()].reduce((sets, { reads }) => sets | reads, 0);

const usageOf = ({ name, placeholder }: Form) => `${name}=${placeholder}`;
const [TIMESTAMP_USAGES, PLACE_USAGES] = [TIMESTAMPS.map(usageOf), PLACES.map(usageOf)];
const USAGES = ['now', ...TIMESTAMP_USAGES, ...PLACE_USAGES].map(quoted);
const USAGE = `give ${listed(USAGES, 'or')}`;

const asCode = (usages: readonly string[]) => usages.map(usage => `\`${usage}\``).join(', ');
const SpecifierText = text(
  `An instant: ${asCode(['now', ...TIMESTAMP_USAGES])}, or the current time in a place: ${asCode(PLACE_USAGES)}.`,
  'iso=2026-04-15T13:30:47-04:00',
);

const HINTS = { from: new Hints('from_', 'from=iso=…'), to: new Hints('to_', 'to=iso=…') };

/** A supplied specifier: its form, if that is known, its value and its hint. */
interface Supplied {
  readonly form: Form | undefined;
  readonly value: string;
  readonly hint: Selection | null;
}

/** Both ends of `diff`. Errors in either end are reported before those in hints, and these before those in `disambiguation`. */
export const ends: InputFactory<{ readonly from: End; readonly to: End }> = group({
  parameters: {
    from: SpecifierText,
    to: SpecifierText,
    ...HINTS.from.parameters,
    ...HINTS.to.parameters,
    disambiguation: DisambiguationText,
  },
  required: ['from', 'to'],
  reads: FORMS_DATA | HINTS.from.reads,
  select: query => ({ from: selectEnd(query, 'from'), to: selectEnd(query, 'to') }),
  readsIn: (query, supplied: Record<EndName, Supplied>, snapshot) =>
    readsOfEnd('from', supplied.from, query, snapshot) | readsOfEnd('to', supplied.to, query, snapshot),
  decode(query, context, supplied) {
    const from = decodeSpecifier(query, 'from', supplied.from, context);
    const to = decodeSpecifier(query, 'to', supplied.to, context);
    const fromPlace = decodePlace(query, 'from', from, supplied.from, context);
    const toPlace = decodePlace(query, 'to', to, supplied.to, context);
    const disambiguation = decodeDisambiguation(query);
    return {
      from: endOf(from, 'from', fromPlace, disambiguation),
      to: endOf(to, 'to', toPlace, disambiguation),
    };
  },
});

function selectEnd(query: Query, name: EndName): Supplied {
  const specifier = query.peek(name);
  const equals = specifier.indexOf('=');
  return {
    form: FORMS.get(specifier.slice(0, Math.max(0, equals))),
    value: specifier.slice(equals + 1),
    hint: HINTS[name].select(query),
  };
}

function readsOfEnd(
  name: EndName,
  { form, value, hint }: Supplied,
  query: Query,
  snapshot: Snapshot,
): DataSets {
  return (form?.readsOf(value, snapshot) ?? 0) | HINTS[name].readsIn(query, hint, snapshot);
}

function decodeSpecifier(
  query: Query,
  name: EndName,
  { form, value }: Supplied,
  context: DecodeContext,
): End | WallTime {
  const specifier = query.get(name);
  if (specifier === undefined) throw unreadable(name, `it is missing: ${USAGE}`);
  if (specifier === 'now') return { epochMs: null, frame: NO_TARGET };
  if (form === undefined) throw unreadable(name, `${quoted(specifier)} is not an instant: ${USAGE}`);
  return form.parse(value, name, query, context);
}

/** The place of an end's local time, null without one. Throws if an end that is not a local time has a hint. */
function decodePlace(
  query: Query,
  name: EndName,
  end: End | WallTime,
  { form, hint }: Supplied,
  context: DecodeContext,
): Target | null {
  if ('iso' in end) return end.place ?? HINTS[name].decode(query, hint, context);
  if (hint === null) return null;
  const reason =
    form === ISO
      ? `'${name}' has an offset of its own`
      : `it is a hint for a local '${name}=iso=…', and '${name}' is ${quoted(query.peek(name))}`;
  throw HINTS[name].unwanted(query, reason);
}

function endOf(
  end: End | WallTime,
  name: EndName,
  place: Target | null,
  disambiguation: Disambiguation,
): End {
  return 'iso' in end ? instantOf(end.iso, name, place, disambiguation) : end;
}
