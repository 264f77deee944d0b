import { ServiceError, unreadable } from '../../common/service_error.ts';
import type { Query } from '../../http/query.ts';
import type { Services } from '../../http/services.ts';
import type { Target } from '../../operations/target.ts';
import type { Caller } from '../route.ts';
import {
  parseSelector,
  readSelector,
  rejectFaultyFlags,
  type SelectorFamily,
  type SelectorNames,
} from './selector.ts';

/** An entry of a bulk selector that names no place. */
export interface FailedEntry {
  readonly item: string;
  readonly error: ServiceError;
}

/** What a selector that may be a list stands for: one place or none, or the entries of the list in their order. */
export type Targets =
  | { readonly single: Target | null }
  | { readonly bulk: readonly (Target | FailedEntry)[] };

const LIST_FAMILIES: readonly SelectorFamily[] = ['tz', 'ip', 'offset'];

/** Like {@link readSelector}, but a comma makes a bulk of `tz`, `ip` or `offset`. */
export function readTargets(query: Query, names: SelectorNames, services: Services, caller: Caller): Targets {
  for (const family of LIST_FAMILIES) {
    const text = query.get(names[family]);
    if (text?.includes(',')) {
      const bulk = readList(family, text, names[family], services);
      rejectFaultyFlags(query, names);
      return { bulk };
    }
  }
  return { single: readSelector(query, names, services, caller) };
}

function readList(
  family: SelectorFamily,
  text: string,
  parameter: string,
  services: Services,
): (Target | FailedEntry)[] {
  const items = text.split(',');
  if (items.length > services.maxBulk) {
    throw unreadable(parameter, `it has ${items.length} entries, and at most ${services.maxBulk} are taken`);
  }
  let failures = 0;
  return items.map(item => {
    const entry = readEntry(family, item, parameter, services, failures < MAX_SUGGESTIONS);
    if ('error' in entry) failures++;
    return entry;
  });
}

/** As many of the failed entries of a list get the nearest names: a hundred would block the server for a while. */
const MAX_SUGGESTIONS = 5;

function readEntry(
  family: SelectorFamily,
  item: string,
  parameter: string,
  services: Services,
  suggests: boolean,
): Target | FailedEntry {
  try {
    if (item === '') throw unreadable(parameter, 'an entry of the list is empty');
    return parseSelector(family, item, parameter, services, suggests);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'INVALID_PARAMETER') return { item, error };
    throw error;
  }
}
