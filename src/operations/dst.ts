import { type Static, Type } from '@sinclair/typebox';
import { localText, utcText } from '../common/iso_text.ts';
import { Moment } from '../common/moment.ts';
import { MAX_EPOCH_MS } from '../common/time_range.ts';
import type { ZoneTransition } from '../zones/zone.ts';
import type { Target } from './target.ts';
import { TimePayload } from './time_payload.ts';

function minutes(what: string) {
  return Type.Number({
    description: `${what}, in minutes east of UTC; with a fraction where it has seconds.`,
  });
}

/** A change of a zone's clock or DST flag. */
export const TransitionPayload = Type.Object(
  {
    unix: Type.Integer({ description: 'When, in seconds since 1970-01-01T00:00:00Z.' }),
    utc: Type.String({ description: 'When, as ISO 8601 time in UTC.' }),
    offset_before: minutes('Offset before'),
    offset_after: minutes('Offset after'),
    abbreviation_before: Type.String({ description: 'Abbreviation of the zone before, such as `EDT`.' }),
    abbreviation_after: Type.String({ description: 'Abbreviation of the zone after, such as `EST`.' }),
    dst_after: Type.Boolean({ description: 'Whether daylight saving time holds after.' }),
  },
  { $id: 'Transition', description: "A change of a zone's clock or DST flag." },
);
export type TransitionPayload = Static<typeof TransitionPayload>;

const DstStatus = Type.Object({
  dst_active: Type.Boolean({
    description: 'Whether the clock is ahead of what it is in the other part of the year.',
  }),
  next_transition: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description:
        'With `next=true`: the next change, as local time in the offset before it; null where none is known.',
    }),
  ),
  transition: Type.Optional(
    Type.Union([TransitionPayload, Type.Null()], {
      description: 'With `next=true`: the next change; null where none is known.',
    }),
  ),
});
export type DstStatus = Static<typeof DstStatus>;

/** A time payload with the DST status of the target. */
export const DstPayload = Type.Composite([TimePayload, DstStatus], {
  $id: 'Dst',
  description: 'A time with the DST status of the target.',
});

/** Whether the target observes DST at an instant; `withNext` adds the next change. */
export function dstStatus(epochMs: number, target: Target, withNext: boolean): DstStatus {
  const dst_active = target.periodAt(Math.floor(epochMs / 1000)).isDst;
  if (!withNext) return { dst_active };
  const { next_transition, transition } = nextTransitionFields(epochMs, target);
  return { dst_active, next_transition, transition };
}

type NextTransition = Required<Omit<DstStatus, 'dst_active'>>;

const NO_TRANSITION: NextTransition = { next_transition: null, transition: null };

/** A next transition, and the instants that it holds for: from the one asked about until it comes, if it ever does. */
interface FoundTransition {
  readonly fromEpochSeconds: number;
  readonly untilEpochSeconds: number;
  readonly next: NextTransition;
}

const latest = new WeakMap<Target, FoundTransition>();

/** What an answer says of the next change after an instant: nulls where none is known or it leaves the range of times. */
function nextTransitionFields(epochMs: number, target: Target): NextTransition {
  const epochSeconds = Math.floor(epochMs / 1000);
  const known = latest.get(target);
  if (
    known !== undefined &&
    epochSeconds >= known.fromEpochSeconds &&
    epochSeconds < known.untilEpochSeconds
  ) {
    return known.next;
  }
  const change = target.zone?.nextTransition(epochSeconds) ?? null;
  const isInRange = change !== null && change.epochSeconds * 1000 <= MAX_EPOCH_MS;
  const next = isInRange ? describe(change) : NO_TRANSITION;
  const untilEpochSeconds = change?.epochSeconds ?? Number.POSITIVE_INFINITY;
  latest.set(target, { fromEpochSeconds: epochSeconds, untilEpochSeconds, next });
  return next;
}

function describe(change: ZoneTransition): NextTransition {
  const { before, after } = change;
  const changeMs = change.epochSeconds * 1000;
  return {
    next_transition: localText(new Moment(changeMs, before.offsetSeconds, before.abbreviation)),
    transition: {
      unix: change.epochSeconds,
      utc: utcText(changeMs),
      offset_before: before.offsetSeconds / 60,
      offset_after: after.offsetSeconds / 60,
      abbreviation_before: before.abbreviation,
      abbreviation_after: after.abbreviation,
      dst_after: after.isDst,
    },
  };
}
