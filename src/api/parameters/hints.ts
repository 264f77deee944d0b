import { type ServiceError, unreadable } from '../../common/errors.ts';
import type { Query } from '../../http/query.ts';
import { RESOLVED_SELECTORS, type Selector, SelectorSet } from './selectors.ts';

const HINT_SELECTORS = RESOLVED_SELECTORS.filter(({ hint }) => hint !== null);

/** Hints for local times: the zones that they are in, under a prefix such as `source_`. */
export class Hints extends SelectorSet {
  /** `iso`: the parameter that they are hints for. */
  constructor(prefix: string, iso: string) {
    super(
      HINT_SELECTORS.map(selector => hintOf(selector, `that a local \`${iso}\` is in`, prefix)),
      prefix,
      'a timestamp takes one hint',
    );
  }

  /** The error for a hint that was supplied where none can be, regardless of its value. */
  unwanted(query: Query, reason: string): ServiceError {
    return unreadable(this.suppliedParameter(query)!, reason); // a selected hint has one
  }
}

/** A selector whose parameters are described as hints. */
function hintOf(selector: Selector, place: string, prefix: string): Selector {
  const descriptions = selector.hint?.(place, prefix);
  const parameters = Object.entries(selector.parameters).map(([name, schema]) => [
    name,
    { ...schema, description: descriptions?.[name] },
  ]);
  return { ...selector, parameters: Object.fromEntries(parameters) };
}
