import { type Static, Type } from '@sinclair/typebox';
import { Transition, transitionOf } from './details.ts';
import type { Target } from './target.ts';

/** The instants from `fromMs` up to, and not including, `toMs`. */
export interface InstantRange {
  readonly fromMs: number;
  readonly toMs: number;
}

export const ZoneTransitions = Type.Object(
  {
    timezone: Type.Union([Type.String(), Type.Null()], {
      description: 'Canonical IANA name; null for an offset, which has no changes.',
    }),
    transitions: Type.Array(Transition, { description: 'The changes in the range, in order.' }),
  },
  { $id: 'ZoneTransitions', description: "The changes of a zone's clock or DST flag in a range." },
);
export type ZoneTransitions = Static<typeof ZoneTransitions>;

/** The changes of a target's clock or DST flag in a range. */
export function zoneTransitions({ timezone, zone }: Target, { fromMs, toMs }: InstantRange): ZoneTransitions {
  const changes = zone?.transitionsBetween(Math.ceil(fromMs / 1000), Math.ceil(toMs / 1000)) ?? [];
  return { timezone, transitions: changes.map(transitionOf).filter(change => change !== null) };
}
