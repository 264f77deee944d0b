import { hoursOf, isShown, MINUTE_MS, type Plan, type PlanRow, type Span, workOf } from './plan.ts';

/** How suitable a time is in a place: within working hours, while people are awake, or at night. */
export type Suitability = 'work' | 'awake' | 'night';

/** A time for a meeting. */
export interface Slot extends Span {
  /** The suitability for each place, in the order of the rows. */
  readonly suits: readonly { readonly row: PlanRow; readonly suitability: Suitability }[];
  /** 0 if it is within working hours everywhere; lower is better. */
  readonly cost: number;
}

const STEP_MS = 30 * MINUTE_MS;
const AWAKE_FROM_MINUTES = 7 * 60;
const AWAKE_TO_MINUTES = 22 * 60;
const MOST_SLOTS = 5;

/** One place at night is worse than several outside working hours. */
const COSTS: Readonly<Record<Suitability, number>> = { work: 0, awake: 1, night: 12 };

/** The suitability of a time for a row. */
export function suitabilityOf(row: PlanRow, slot: Span, plan: Plan): Suitability {
  return suitabilityIn(hoursSuiting(row, plan), slot);
}

/** The working and waking hours of a row, which are the same for all slots of a plan. */
interface SuitingHours {
  readonly work: readonly Span[];
  readonly awake: readonly Span[];
}

function hoursSuiting(row: PlanRow, plan: Plan): SuitingHours {
  const awake = hoursOf(row, AWAKE_FROM_MINUTES, AWAKE_TO_MINUTES, () => true);
  return { work: workOf(row, plan.state), awake };
}

function suitabilityIn({ work, awake }: SuitingHours, slot: Span): Suitability {
  if (covers(work, slot)) return 'work';
  return covers(awake, slot) ? 'awake' : 'night';
}

/** The best non-overlapping times of the day, best first; if equal, earliest first. */
export function proposeSlots(plan: Plan): Slot[] {
  const rows = plan.rows.filter(isShown).map(row => ({ row, hours: hoursSuiting(row, plan) }));
  const lengthMs = plan.state.lengthMinutes * MINUTE_MS;
  const count = Math.max(0, Math.floor((plan.endMs - plan.startMs - lengthMs) / STEP_MS) + 1);
  const slots = Array.from({ length: count }, (_, index): Slot => {
    const startMs = plan.startMs + index * STEP_MS;
    const slot = { startMs, endMs: startMs + lengthMs };
    const suits = rows.map(({ row, hours }) => ({ row, suitability: suitabilityIn(hours, slot) }));
    return { ...slot, suits, cost: suits.reduce((sum, { suitability }) => sum + COSTS[suitability], 0) };
  });
  const proposed: Slot[] = [];
  for (const slot of slots.sort((one, other) => one.cost - other.cost || one.startMs - other.startMs)) {
    const overlaps = proposed.some(({ startMs, endMs }) => slot.startMs < endMs && startMs < slot.endMs);
    if (!overlaps && proposed.length < MOST_SLOTS) proposed.push(slot);
  }
  return proposed;
}

/** Whether spans that do not overlap cover a range. */
function covers(spans: readonly Span[], { startMs, endMs }: Span): boolean {
  const coveredMs = spans.reduce(
    (sum, span) => sum + Math.max(0, Math.min(endMs, span.endMs) - Math.max(startMs, span.startMs)),
    0,
  );
  return coveredMs === endMs - startMs;
}
