/** Reports on keys and their usage, for commands and the operator API. */
import { utcText } from '../../common/iso_text.ts';
import type { Role } from '../key_index.ts';
import { monthAt } from '../month.ts';
import {
  isRemoved,
  type RemovedToken,
  type StoredToken,
  type TokenPosition,
  type TokenStore,
  tokenState,
  type UsagePosition,
} from '../stored_token.ts';
import type { MonthlyCount } from '../usage.ts';
import { inBatches } from './in_batches.ts';

/** A key in a report. */
export interface KeyReport {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly plan: string;
  readonly state: 'active' | 'suspended' | 'expired';
  readonly created: string;
  readonly expires: string | null;
  readonly last_used: string | null;
}

/** A key at an instant. */
export function keyReport(token: Omit<StoredToken, 'digest' | 'former'>, nowMs: number): KeyReport {
  return {
    id: token.id,
    name: token.name,
    role: token.role,
    plan: token.plan,
    state: tokenState(token, nowMs),
    created: utcText(token.createdMs),
    expires: token.expiresMs === null ? null : utcText(token.expiresMs),
    last_used: token.lastUsedMs === null ? null : utcText(token.lastUsedMs),
  };
}

/** A line of a report, and its position in the list. */
export interface Row<Position, Report> {
  readonly position: Position;
  readonly report: Report;
}

/** A key with its requests in a month. */
export interface ListedKey extends KeyReport {
  readonly requests: number;
}

/** The keys of a store after a position, with their requests in a month, oldest first, in batches. */
export async function* listKeys(
  store: TokenStore,
  month: number,
  nowMs: number,
  after: TokenPosition | null = null,
): AsyncGenerator<Row<TokenPosition, ListedKey>[], void> {
  for await (const tokens of inBatches(part => store.tokens(part), after)) {
    const ids = tokens.map(({ id }) => id);
    const requests = await store.requests(ids, month);
    yield tokens.map(token => ({
      position: token,
      report: { ...keyReport(token, nowMs), requests: requests.get(token.id) ?? 0 },
    }));
  }
}

/** The requests of a key in a month. A key from a list is not stored, and only has an id. */
export interface UsageReport {
  readonly month: string;
  readonly id: string;
  readonly name: string | null;
  readonly plan: string | null;
  readonly state: 'active' | 'suspended' | 'expired' | 'removed' | null;
  readonly requests: number;
}

/** The members of a {@link UsageReport}, in order. */
export const USAGE_COLUMNS = ['month', 'id', 'name', 'plan', 'state', 'requests'] as const;

/** Requests by key and month after a position, or in one month, oldest month first, in batches. */
export async function* listUsage(
  store: TokenStore,
  month: number | null,
  nowMs: number,
  after: UsagePosition | null = null,
): AsyncGenerator<Row<UsagePosition, UsageReport>[], void> {
  for await (const counts of inBatches(part => store.usage({ ...part, month }), after)) {
    const keys = await store.find(counts.map(({ id }) => id));
    yield counts.map(count => ({ position: count, report: usageReport(count, keys.get(count.id), nowMs) }));
  }
}

function usageReport(
  { id, month, count }: MonthlyCount,
  key: StoredToken | RemovedToken | undefined,
  nowMs: number,
): UsageReport {
  const { name = null, plan = null } = key ?? {};
  const state = key === undefined ? null : isRemoved(key) ? 'removed' : tokenState(key, nowMs);
  return { month: monthAt(month).label, id, name, plan, state, requests: count };
}
