import { quoted, unreadable } from '../../common/service_error.ts';
import type { Query } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { type Instant, instantOf } from '../../operations/instant.ts';
import { NO_TARGET, type Target } from '../../operations/target.ts';
import type { LazyData } from '../../places/lazy_data.ts';
import type { Disambiguation } from '../../zones/local_time.ts';
import { type DecodeContext, group, type InputFactory } from './input.ts';
import { text } from './schemas.ts';
import { SELECTORS, type SelectorName, textForm } from './selectors.ts';
import { dataOfHint, decodeHint, Hint, type Selection } from './targets.ts';
import {
  DisambiguationText,
  decodeDisambiguation,
  parseIso,
  parseUnix,
  parseUnixMs,
  type WallTime,
} from './timestamps.ts';

/** One end of `diff`: an instant, or the present where `epochMs` is null. */
export interface End {
  readonly epochMs: number | null;
  readonly frame: Target;
}

/** The instant of an end at the present. */
export function instantOfEnd({ epochMs, frame }: End, nowMs: number): Instant {
  return { epochMs: epochMs ?? nowMs, frame };
}

type EndName = 'from' | 'to';
const ISO_FORM = 'iso=';
/** The specifiers that select a place: `tz=<zone>`. */
const PLACES = Object.entries(SELECTORS).flatMap(([name, { text }]) =>
  text === null ? [] : `${name}=${text.placeholder}`,
);
const FORMS = ['now', 'unix=<seconds>', 'unix_ms=<milliseconds>', 'iso=<ISO 8601>', ...PLACES].map(quoted);
const USAGE = `give ${FORMS.slice(0, -1).join(', ')} or ${FORMS.at(-1)}`;

const SpecifierText = text(
  'An instant: `now`, `unix=<seconds>`, `unix_ms=<milliseconds>`, `iso=<ISO 8601>`, or the present in a place: ' +
    `${PLACES.map(form => `\`${form}\``).join(', ')}.`,
  'iso=2026-04-15T13:30:47-04:00',
);

const HINTS = { from: new Hint('from_', 'from=iso=…'), to: new Hint('to_', 'to=iso=…') };

/** Both ends of `diff`. Errors in either end precede those in hints, and these those in `disambiguation`. */
export const ends: InputFactory<{ readonly from: End; readonly to: End }> = group({
  parameters: {
    from: SpecifierText,
    to: SpecifierText,
    ...HINTS.from.parameters,
    ...HINTS.to.parameters,
    disambiguation: DisambiguationText,
  },
  required: ['from', 'to'],
  select: query => ({ from: HINTS.from.select(query), to: HINTS.to.select(query) }),
  needs: (hints: Record<EndName, Selection | null>, snapshot, query) =>
    (['from', 'to'] as const).flatMap(name => [
      ...dataOfSpecifier(query, name, snapshot),
      ...dataOfHint(hints[name], snapshot),
    ]),
  decode(query, context, hints) {
    const from = decodeSpecifier(query, 'from', context.snapshot);
    const to = decodeSpecifier(query, 'to', context.snapshot);
    const fromPlace = decodePlace(query, 'from', from, hints.from, context);
    const toPlace = decodePlace(query, 'to', to, hints.to, context);
    const disambiguation = decodeDisambiguation(query);
    return {
      from: endOf(from, 'from', fromPlace, disambiguation),
      to: endOf(to, 'to', toPlace, disambiguation),
    };
  },
});

/** Splits `tz=Asia/Tokyo` into its form and its value. */
function split(specifier: string): [form: string, value: string] {
  const equals = specifier.indexOf('=');
  return [specifier.slice(0, Math.max(equals, 0)), specifier.slice(equals + 1)];
}

function dataOfSpecifier(query: Query, name: EndName, snapshot: Snapshot): readonly LazyData<unknown>[] {
  const [form] = split(query.peek(name));
  return textForm(form) ? (SELECTORS[form as SelectorName].needs?.(snapshot) ?? []) : [];
}

function decodeSpecifier(query: Query, name: EndName, snapshot: Snapshot): End | WallTime {
  const specifier = query.get(name);
  if (specifier === undefined) throw unreadable(name, `it is missing: ${USAGE}`);
  if (specifier === 'now') return { epochMs: null, frame: NO_TARGET };
  const [form, value] = split(specifier);
  if (form === 'iso') return parseIso(query, value, name, HINTS[name], snapshot);
  if (form === 'unix') return parseUnix(value, name);
  if (form === 'unix_ms') return parseUnixMs(value, name);
  const selector = textForm(form);
  if (selector === undefined) throw unreadable(name, `${quoted(specifier)} is not an instant: ${USAGE}`);
  return { epochMs: null, frame: selector.parse(value, name, snapshot, true) };
}

/** The place of an end's local time, null without one; an end that is no local time takes no hint. */
function decodePlace(
  query: Query,
  name: EndName,
  end: End | WallTime,
  hint: Selection | null,
  context: DecodeContext,
): Target | null {
  if ('iso' in end) return end.place ?? decodeHint(hint, query, context);
  const specifier = query.get(name) ?? '';
  const reason = specifier.startsWith(ISO_FORM)
    ? `'${name}' has an offset of its own`
    : `it is a hint for a local '${name}=iso=…', and '${name}' is ${quoted(specifier)}`;
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
