import { type Static, Type } from '@sinclair/typebox';
import { Value, type ValueError } from '@sinclair/typebox/value';

/** How much the holder of a key may ask. Undefined is without limit. */
export interface Plan {
  readonly name: string;
  readonly rate: Rate | undefined;
  /** Requests a calendar month, UTC. */
  readonly monthlyQuota: number | undefined;
}

/** A token bucket: `perSecond` requests on average, at most `burst` at once. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** The plan of every key that names none, unless a plans file defines `default`. */
export const UNLIMITED_PLAN: Plan = { name: 'default', rate: undefined, monthlyQuota: undefined };

const PlanSchema = Type.Object(
  {
    requests_per_second: Type.Optional(Type.Number({ minimum: 0.001, maximum: 1_000_000 })),
    burst: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    requests_per_month: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 })),
  },
  { additionalProperties: false },
);
const PlansSchema = Type.Object(
  { plans: Type.Record(Type.String(), PlanSchema) },
  { additionalProperties: false },
);
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * The plans of a parsed plans file, by name; `default` is always among them.
 *
 *     [plans.pro]
 *     requests_per_second = 50   # at most three decimals; left out: no limit
 *     burst = 100                # left out: the rate, rounded up
 *     requests_per_month = 1_000_000
 *
 * Throws an Error that names the key and what is wanted there.
 */
export function readPlans(parsed: unknown): ReadonlyMap<string, Plan> {
  const wrong = Value.Errors(PlansSchema, parsed).First();
  if (wrong) throw new Error(describe(wrong));
  const plans = new Map<string, Plan>([[UNLIMITED_PLAN.name, UNLIMITED_PLAN]]);
  for (const [name, entry] of Object.entries((parsed as Static<typeof PlansSchema>).plans)) {
    plans.set(name, readPlan(name, entry));
  }
  return plans;
}

function readPlan(name: string, entry: Static<typeof PlanSchema>): Plan {
  const at = `plans.${name}`;
  if (!NAME.test(name)) {
    throw new Error(
      `'${at}': a plan's name is 1 to 64 letters, digits, '.', '_' or '-', a letter or digit first`,
    );
  }
  const { requests_per_second: perSecond, burst, requests_per_month: monthlyQuota } = entry;
  if (perSecond === undefined && burst !== undefined) {
    throw new Error(`'${at}.burst' needs '${at}.requests_per_second'`);
  }
  if (perSecond !== undefined && Math.abs(perSecond * 1000 - Math.round(perSecond * 1000)) > 1e-6) {
    throw new Error(`'${at}.requests_per_second': ${perSecond} has more than three decimals`);
  }
  const rate = perSecond === undefined ? undefined : { perSecond, burst: burst ?? Math.ceil(perSecond) };
  return { name, rate, monthlyQuota };
}

function describe(wrong: ValueError): string {
  const key = wrong.path.slice(1).replaceAll('/', '.');
  if (wrong.message === 'Unexpected property') return `'${key}' is not known: ${KNOWN}`;
  if (key === 'plans' && wrong.value === undefined) return `'plans' is missing: ${KNOWN}`;
  return `'${key}': ${shown(wrong.value)} is not ${wanted(wrong.schema)}`;
}

const KNOWN = `a plans file has tables [plans.NAME] with ${Object.keys(PlanSchema.properties).join(', ')}`;

function shown(value: unknown): string {
  return typeof value === 'object' ? 'a table or list' : JSON.stringify(value);
}

function wanted(schema: ValueError['schema']): string {
  if (schema['type'] === 'object') return 'a table';
  const kind = schema['type'] === 'integer' ? 'a whole number' : 'a number';
  return `${kind} from ${schema['minimum']} to ${schema['maximum']}`;
}
