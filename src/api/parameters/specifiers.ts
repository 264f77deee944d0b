import { quoted, unreadable } from '../../common/service_error.ts';
import type { Lifetime } from '../../http/freshness.ts';
import { ParameterNames, type Query } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { type Instant, instantOf } from '../../operations/instant.ts';
import { NO_TARGET, type Target } from '../../operations/target.ts';
import type { LazyData } from '../../places/lazy_data.ts';
import type { Disambiguation } from '../../zones/local_time.ts';
import { type DecodeContext, group, type InputFactory } from './input.ts';
import { text } from './schemas.ts';
import { TEXT_SELECTORS } from './selectors.ts';
import { decodeHint, Hint, pendingData, type Selection } from './targets.ts';
import {
  DisambiguationText,
  decodeDisambiguation,
  parseIso,
  parseUnix,
  parseUnixMs,
  type WallTime,
} from './timestamps.ts';

/** One end of `diff`: an instant, or the current time if `epochMs` is null. */
export interface End {
  readonly epochMs: number | null;
  readonly frame: Target;
}

/** The instant of an end in a request. */
export function instantOfEnd({ epochMs, frame }: End, context: { readonly nowMs: number }): Instant {
  return { epochMs: epochMs ?? context.nowMs, frame };
}

/** The lifetime of responses for two ends. */
export function lifetimeOfEnds({ ends }: { readonly ends: Readonly<Record<EndName, End>> }): Lifetime {
  return ends.from.epochMs === null || ends.to.epochMs === null ? 'moment' : 'fixed';
}

type EndName = 'from' | 'to';
/** The specifiers that select a place: `tz=<zone>`. */
const PLACES = [...TEXT_SELECTORS].map(([name, { text }]) => `${name}=${text.placeholder}`);
const FORMS = ['now', 'unix=<seconds>', 'unix_ms=<milliseconds>', 'iso=<ISO 8601>', ...PLACES].map(quoted);
const USAGE = `give ${FORMS.slice(0, -1).join(', ')} or ${FORMS.at(-1)}`;

const SpecifierText = text(
  'An instant: `now`, `unix=<seconds>`, `unix_ms=<milliseconds>`, `iso=<ISO 8601>`, or the current time in a place: ' +
    `${PLACES.map(form => `\`${form}\``).join(', ')}.`,
  'iso=2026-04-15T13:30:47-04:00',
);

const HINTS = { from: new Hint('from_', 'from=iso=…'), to: new Hint('to_', 'to=iso=…') };

/** A supplied specifier, split into its form, if that is a known one, and value; and its hint. */
interface Supplied {
  readonly form: string | undefined;
  readonly value: string;
  readonly hint: Selection | null;
}

/** The forms of a timestamp, which need no data; the others are selectors. */
const TIMESTAMPS: readonly string[] = ['unix', 'unix_ms', 'iso'];
const FORM_NAMES = new ParameterNames([...TIMESTAMPS, ...TEXT_SELECTORS.keys()]);

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
  readsZones: true,
  select: query => ({ from: selectEnd(query, 'from'), to: selectEnd(query, 'to') }),
  pending: ({ from, to }: Record<EndName, Supplied>, snapshot) =>
    pendingDataOfEnd(from, snapshot) ?? pendingDataOfEnd(to, snapshot),
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
    form: FORM_NAMES.find(specifier, 0, equals)?.name,
    value: specifier.slice(equals + 1),
    hint: HINTS[name].select(query),
  };
}

function pendingDataOfEnd({ form, hint }: Supplied, snapshot: Snapshot): LazyData<unknown> | undefined {
  const isSelector = form !== undefined && !TIMESTAMPS.includes(form);
  const selector = isSelector ? TEXT_SELECTORS.get(form) : undefined;
  return selector?.pending(snapshot) ?? pendingData(hint, snapshot);
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
  if (form === 'unix') return parseUnix(value, name);
  if (form === 'unix_ms') return parseUnixMs(value, name);
  if (form === 'iso') return parseIso(query, value, name, HINTS[name], context.snapshot);
  const selector = form === undefined ? undefined : TEXT_SELECTORS.get(form);
  if (selector === undefined) throw unreadable(name, `${quoted(specifier)} is not an instant: ${USAGE}`);
  return { epochMs: null, frame: selector.text.parse(value, name, context, true) };
}

/** The place of an end's local time, null without one. Throws if an end that is not a local time has a hint. */
function decodePlace(
  query: Query,
  name: EndName,
  end: End | WallTime,
  { form, hint }: Supplied,
  context: DecodeContext,
): Target | null {
  if ('iso' in end) return end.place ?? decodeHint(hint, query, context);
  if (hint === null) return null;
  const reason =
    form === 'iso'
      ? `'${name}' has an offset of its own`
      : `it is a hint for a local '${name}=iso=…', and '${name}' is ${quoted(query.peek(name))}`;
  HINTS[name].reject(hint, query, reason);
  return null;
}

function endOf(
  end: End | WallTime,
  name: EndName,
  place: Target | null,
  disambiguation: Disambiguation,
): End {
  return 'iso' in end ? instantOf(end.iso, name, place, disambiguation) : end;
}
