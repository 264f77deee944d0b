import type { Query } from '../http/query.ts';
import type { Snapshot } from '../http/snapshot.ts';
import { TEXT_SELECTORS } from './parameters/selectors.ts';
import type { Route } from './route.ts';

/** How many requests a query counts as: one for each entry of a list. A list that is too long is rejected, and counts as one. */
export function entriesOf({ inputs: { parameters } }: Route, query: Query, { maxBulk }: Snapshot): number {
  for (const [name, { text }] of TEXT_SELECTORS) {
    if (parameters[name] !== text.listSchema || !query.has(name)) continue;
    const entries = query.peek(name).split(text.separator).length;
    return entries > maxBulk ? 1 : entries;
  }
  return 1;
}
