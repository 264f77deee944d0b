import { type Static, Type } from '@sinclair/typebox';
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value';
import { resultsOf } from '../common/errors.ts';
import { EntryFault } from '../common/settings_text.ts';

/** The limits of a key; undefined is unlimited. */
export interface Plan {
  readonly name: string;
  /** A token bucket: `perSecond` requests on average, with a burst of at most `burst`. */
  readonly rate: { readonly perSecond: number; readonly burst: number } | undefined;
  /** Requests per calendar month, UTC. */
  readonly monthlyQuota: number | undefined;
  /** Whether each entry of a list counts as a request; otherwise the list is one. */
  readonly countsEntries?: boolean;
}

/** The plan of keys without one, unless a plans file defines `default`. */
export const UNLIMITED_PLAN: Plan = {
  name: 'default',
  rate: undefined,
  monthlyQuota: undefined,
  countsEntries: false,
};

const PlanSchema = Type.Object(
  {
    requests_per_second: Type.Optional(Type.Number({ minimum: 0.001, maximum: 1_000_000 })),
    burst: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    requests_per_month: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 })),
    bulk: Type.Optional(Type.Union([Type.Literal('one'), Type.Literal('each')])),
  },
  { additionalProperties: false },
);
const Plans = Type.Record(Type.String(), PlanSchema);
const PlansSchema = Type.Object({ plans: Plans }, { additionalProperties: false });
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * Reads a parsed plans file: plans by name.
 *
 *     [plans.pro]
 *     requests_per_second = 50   # at most three decimals; default: no limit
 *     burst = 100                # default: the rate, rounded up
 *     requests_per_month = 1_000_000
 *     bulk = "each"              # each entry of a list counts as a request; default: "one"
 *
 * Throws an {@link EntryFault} that names the entry and the expected value, or an `AggregateError` of all.
 */
export function definedPlans(parsed: unknown): ReadonlyMap<string, Plan> {
  // A missing entry has several errors.
  const wrong = Map.groupBy(Value.Errors(PlansSchema, parsed), ({ path }) => path);
  const entries: [string, unknown][] = Object.entries(Object(Object(parsed).plans));
  const valid = entries.filter((each): each is [string, PlanEntry] => Value.Check(PlanSchema, each[1]));
  const fault = (error: ValueError) => () => throwFault(error);
  const plan =
    ([name, entry]: (typeof valid)[number]) =>
    (): Plan =>
      readPlan(name, entry);
  const plans = resultsOf(...[...wrong.values()].map(([first]) => fault(first!)), ...valid.map(plan));
  return new Map(plans.map(each => [each.name, each]));
}

/** The plan of one entry of a plans file. Throws like {@link definedPlans}. */
export function planOf(name: string, entry: unknown): Plan {
  return definedPlans({ plans: { [name]: entry } }).get(name)!; // exactly that one
}

/** The members of a plan in a plans file. */
export type PlanEntry = Static<typeof PlanSchema>;

export function planEntry({ rate, monthlyQuota, countsEntries }: Plan): PlanEntry {
  return {
    ...(rate && { requests_per_second: rate.perSecond, burst: rate.burst }),
    ...(monthlyQuota !== undefined && { requests_per_month: monthlyQuota }),
    ...(countsEntries && { bulk: 'each' }),
  };
}

function readPlan(name: string, entry: PlanEntry): Plan {
  const at = `plans.${name}`;
  const fault = (key: readonly string[], reason: string) => new EntryFault(['plans', name, ...key], reason);
  if (!NAME.test(name))
    throw fault(
      [],
      `'${at}': a plan's name is 1 to 64 letters, digits, '.', '_' or '-', a letter or digit first`,
    );
  const { requests_per_second: perSecond, burst, requests_per_month: monthlyQuota, bulk } = entry;
  if (perSecond === undefined && burst !== undefined)
    throw fault(['burst'], `'${at}.burst' needs '${at}.requests_per_second'`);
  if (perSecond !== undefined && Math.abs(perSecond * 1000 - Math.round(perSecond * 1000)) > 1e-6)
    throw fault(
      ['requests_per_second'],
      `'${at}.requests_per_second': ${perSecond} has more than three decimals`,
    );
  const rate = perSecond === undefined ? undefined : { perSecond, burst: burst ?? Math.ceil(perSecond) };
  return { name, rate, monthlyQuota, ...(bulk === 'each' && { countsEntries: true }) };
}

function throwFault(wrong: ValueError): never {
  const path = wrong.path.slice(1).split('/');
  const keys = path.map(key => key.replaceAll('~1', '/').replaceAll('~0', '~')); // RFC 6901 §4
  const isUnknown = wrong.type === ValueErrorType.ObjectAdditionalProperties;
  throw new EntryFault(keys, describe(wrong, keys.join('.')), isUnknown ? 'key' : 'value');
}

function describe(wrong: ValueError, key: string): string {
  if (wrong.type === ValueErrorType.ObjectAdditionalProperties) return `'${key}' is unknown: ${KNOWN}`;
  if (key === 'plans' && wrong.value === undefined) return `'plans' is missing: ${KNOWN}`;
  const shown = typeof wrong.value === 'object' ? 'a table or list' : JSON.stringify(wrong.value);
  return `'${key}': ${shown} is not ${wanted(wrong.schema)}`;
}

const KNOWN = `a plans file has tables [plans.NAME] with ${Object.keys(PlanSchema.properties).join(', ')}`;

function wanted(schema: ValueError['schema']): string {
  if (schema['type'] === 'object') return 'a table';
  if (Array.isArray(schema['anyOf'])) return "'one' or 'each'";
  const kind = schema['type'] === 'integer' ? 'a whole number' : 'a number';
  return `${kind} from ${schema['minimum']} to ${schema['maximum']}`;
}
