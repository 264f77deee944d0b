import { quoted } from '../common/service_error.ts';
import { ParameterNames, type Query } from '../http/query.ts';
import type { Snapshot } from '../http/snapshot.ts';
import type { LazyData } from '../places/lazy_data.ts';
import type { DecodeContext, Input, Inputs, ParameterSchema } from './parameters/input.ts';

type Parameters = Readonly<Record<string, ParameterSchema>>;

/** Replaces the selection of an input if the query has none of its parameters, so its value is known. */
const ABSENT = Symbol('absent');

/** The inputs of a route, whose handler receives their values by name. */
export class RouteInputs {
  /** The documented parameters by name, in the order in which errors in them are reported. */
  readonly parameters: Parameters;
  /** Those that are always required. */
  readonly required: readonly string[];
  /** The names of all parameters that are not ignored. */
  readonly known: ParameterNames;
  readonly #names: readonly string[];
  readonly #inputs: readonly Input<unknown>[];
  /** A bit for each input, by the names of its parameters. With more than 32 inputs some share a bit, which only costs time. */
  readonly #bitsByName = new Map<string, number>();
  /** The bits of inputs that are decoded for every query. */
  readonly #alwaysDecoded: number;

  /** `ofZones` are added if an input reads zones; `common` are documented after the others. */
  constructor(path: string, declared: Inputs, ofZones: Inputs, common: Parameters) {
    const own = inputsOf(declared);
    const readsZones = Object.values(own).some(input => input.readsZones);
    const byName = readsZones ? { ...own, ...inputsOf(ofZones) } : own;
    this.#names = Object.keys(byName);
    this.#inputs = Object.values(byName);
    this.parameters = uniqueParameters([...this.#inputs.map(input => input.parameters), common], path);
    this.required = this.#inputs.flatMap(({ required }) => required ?? []);
    const hidden = this.#inputs.flatMap(({ hidden }) => hidden ?? []);
    this.known = new ParameterNames([...Object.keys(this.parameters), ...hidden]);
    let alwaysDecoded = 0;
    for (const [index, input] of this.#inputs.entries()) {
      const bit = 1 << index;
      if (!('absent' in input)) alwaysDecoded |= bit;
      for (const name in input.parameters) this.#bitsByName.set(name, bit);
      for (const name of input.hidden ?? []) this.#bitsByName.set(name, bit);
    }
    this.#alwaysDecoded = alwaysDecoded;
  }

  /** What each input selects in a query. Throws ServiceError for ambiguous parameters. */
  select(query: Query): readonly unknown[] {
    const inputs = this.#inputs;
    let supplied = this.#alwaysDecoded;
    for (const name of query.names) supplied |= this.#bitsByName.get(name) ?? 0;
    const selected: unknown[] = [];
    for (let index = 0; index < inputs.length; index++) {
      selected.push((supplied >> index) & 1 ? inputs[index]!.select?.(query) : ABSENT);
    }
    return selected;
  }

  /** Data that {@link decode} needs and that is not loaded yet; once it is, more may be needed. */
  pendingData(selected: readonly unknown[], snapshot: Snapshot): LazyData<unknown> | undefined {
    const inputs = this.#inputs;
    for (let index = 0; index < inputs.length; index++) {
      if (selected[index] === ABSENT) continue;
      const pending = inputs[index]!.pending?.(selected[index], snapshot);
      if (pending !== undefined) return pending;
    }
    return undefined;
  }

  /** Decodes a query into values by name; returns a promise if that takes long. Throws ServiceError. */
  decode(query: Query, selected: readonly unknown[], context: DecodeContext): unknown {
    return this.#decodeFrom(0, {}, query, selected, context);
  }

  /** Decodes the inputs from an index on, one after another, so that the first error is the one reported. */
  #decodeFrom(
    first: number,
    values: Record<string, unknown>,
    query: Query,
    selected: readonly unknown[],
    context: DecodeContext,
  ): unknown {
    const inputs = this.#inputs;
    for (let index = first; index < inputs.length; index++) {
      const input = inputs[index]!;
      const choice = selected[index];
      const value = choice === ABSENT ? input.absent : input.decode(query, context, choice);
      if (value instanceof Promise) return this.#decodeAfter(value, index, values, query, selected, context);
      values[this.#names[index]!] = value;
    }
    return values;
  }

  async #decodeAfter(
    value: Promise<unknown>,
    index: number,
    values: Record<string, unknown>,
    query: Query,
    selected: readonly unknown[],
    context: DecodeContext,
  ): Promise<unknown> {
    values[this.#names[index]!] = await value;
    return this.#decodeFrom(index + 1, values, query, selected, context);
  }
}

function inputsOf(declared: Inputs): Readonly<Record<string, Input<unknown>>> {
  return Object.fromEntries(Object.entries(declared).map(([name, make]) => [name, make(name)]));
}

/** The parameters of all inputs; no two of them may have the same name. */
function uniqueParameters(groups: readonly Parameters[], path: string): Parameters {
  const parameters: Record<string, ParameterSchema> = {};
  for (const group of groups) {
    for (const name in group) {
      if (name in parameters) throw new Error(`${path} declares ${quoted(name)} twice`);
      parameters[name] = group[name]!;
    }
  }
  return parameters;
}
