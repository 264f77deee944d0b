/** What commands and the API for operators report of keys and their usage. */
import { utcText } from '../../common/iso_text.ts';
import type { Role } from '../key_index.ts';
import { monthAt, monthLabelled } from '../month.ts';
import { type StoredToken, type TokenStore, tokenState } from '../stored_token.ts';
import type { MonthlyCount } from '../usage.ts';

/** A key as it is shown. */
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

/** The requests of each key in a month, by id. */
export async function usageIn(store: TokenStore, month: number): Promise<ReadonlyMap<string, number>> {
  return totals(await countsOf(store, month));
}

/** The requests of a key in a month; a key of a list, which is not stored, has an id only. */
export interface UsageReport {
  readonly month: string;
  readonly id: string;
  readonly name: string | null;
  readonly plan: string | null;
  readonly state: 'active' | 'suspended' | 'expired' | 'removed' | null;
  readonly requests: number;
}

/** The members of a {@link UsageReport} in their order. */
export const USAGE_COLUMNS = ['month', 'id', 'name', 'plan', 'state', 'requests'] as const;

/** The requests of each key and month, or in one month (`2026-11`), the oldest month first. */
export async function usageReports(
  store: TokenStore,
  only: string | null,
  nowMs: number,
): Promise<UsageReport[]> {
  const stored = (await store.tokens()).map(token => ({ ...token, state: tokenState(token, nowMs) }));
  const removed = (await store.removed()).map(token => ({ ...token, state: 'removed' as const }));
  const known = new Map([...removed, ...stored].map(token => [token.id, token]));
  const counts = only === null ? await store.usage() : await countsOf(store, monthLabelled(only));
  return merged(counts)
    .map(({ id, month, count }) => {
      const { name = null, plan = null, state = null } = known.get(id) ?? {};
      return { month: monthAt(month).label, id, name, plan, state, requests: count };
    })
    .sort((a, b) => compare(a.month, b.month) || compare(a.id, b.id));
}

async function countsOf(store: TokenStore, month: number): Promise<MonthlyCount[]> {
  return (await store.usage(month)).filter(({ month: index }) => index === month);
}

/** One count for each key and month. */
function merged(counts: readonly MonthlyCount[]): MonthlyCount[] {
  const byMonth = Map.groupBy(counts, ({ month }) => month);
  return [...byMonth].flatMap(([month, ofMonth]) =>
    [...totals(ofMonth)].map(([id, count]) => ({ id, month, count })),
  );
}

function totals(counts: readonly MonthlyCount[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { id, count } of counts) sums.set(id, (sums.get(id) ?? 0) + count);
  return sums;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
