/** What `meridian tokens list` and `tokens usage` print. */
import { type Month, monthAt, monthLabelled, monthOf } from '../access/month.ts';
import { type TokenStore, tokenState } from '../access/stored_token.ts';
import type { MonthlyCount } from '../access/usage.ts';
import { utcText } from '../common/iso_text.ts';
import { UsageError } from '../common/usage_error.ts';
import type { ActionInput } from './command.ts';
import type { SettingsOf, TOKENS_FLAGS } from './flags.ts';

type Input = ActionInput<SettingsOf<typeof TOKENS_FLAGS>>;

/** Prints the keys of a store, with their usage in one month; `place` names it where it has none. */
export async function printKeys(
  { settings, context }: Input,
  store: TokenStore,
  place: string,
): Promise<void> {
  const nowMs = Date.now();
  const month = settings.month === null ? monthOf(nowMs) : monthAt(monthLabelled(settings.month));
  const used = totals((await store.usage()).filter(({ month: index }) => index === month.index));
  const rows = (await store.tokens()).map(token => ({
    id: token.id,
    name: token.name,
    role: token.role,
    plan: token.plan,
    state: tokenState(token, nowMs),
    created: utcText(token.createdMs),
    expires: token.expiresMs === null ? null : utcText(token.expiresMs),
    last_used: token.lastUsedMs === null ? null : utcText(token.lastUsedMs),
    ...usageColumn(settings.month, used.get(token.id) ?? 0),
  }));
  if (settings.json) context.print(JSON.stringify(rows, null, 2));
  else if (rows.length === 0) context.print(`no API keys in ${place}`);
  else context.print(keyTable(rows, month));
}

/** Prints the requests of each key and month, the oldest month first. */
export async function printUsage({ settings, context }: Input, store: TokenStore): Promise<void> {
  if (settings.json && settings.csv) throw new UsageError('tokens usage takes --json or --csv, not both');
  const nowMs = Date.now();
  const stored = (await store.tokens()).map(token => ({ ...token, state: tokenState(token, nowMs) }));
  const removed = (await store.removed()).map(token => ({ ...token, state: 'removed' as const }));
  const known = new Map([...removed, ...stored].map(token => [token.id, token]));
  const counts = merged(await store.usage());
  const rows = counts
    .map(({ id, month, count }) => {
      const { name = null, plan = null, state = null } = known.get(id) ?? {};
      return { month: monthAt(month).label, id, name, plan, state, requests: count };
    })
    .filter(({ month }) => settings.month === null || month === settings.month)
    .sort((a, b) => compare(a.month, b.month) || compare(a.id, b.id));
  if (settings.json) context.print(JSON.stringify(rows, null, 2));
  else if (settings.csv) context.print([USAGE_COLUMNS, ...rows.map(Object.values)].map(csvLine).join('\n'));
  else if (rows.length === 0) context.print('no usage');
  else
    context.print(
      table(
        USAGE_COLUMNS.map(name => name.toUpperCase()),
        rows,
        '',
      ),
    );
}

/** The members of a row of usage in their order. */
const USAGE_COLUMNS = ['month', 'id', 'name', 'plan', 'state', 'requests'];

/** `used_this_month`, or `used` in the month that was given. */
function usageColumn(month: string | null, used: number) {
  return month === null ? { used_this_month: used } : { used };
}

function totals(counts: readonly MonthlyCount[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { id, count } of counts) sums.set(id, (sums.get(id) ?? 0) + count);
  return sums;
}

/** One count for each key and month. */
function merged(counts: readonly MonthlyCount[]): MonthlyCount[] {
  const byMonth = Map.groupBy(counts, ({ month }) => month);
  return [...byMonth].flatMap(([month, ofMonth]) =>
    [...totals(ofMonth)].map(([id, count]) => ({ id, month, count })),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function keyTable(rows: readonly object[], month: Month): string {
  const head = [
    'ID',
    'NAME',
    'ROLE',
    'PLAN',
    'STATE',
    'CREATED',
    'EXPIRES',
    'LAST USED',
    `IN ${month.label}`,
  ];
  return table(head, rows, 'never');
}

/** Rows as a table; the columns are their members in their order. */
function table(head: readonly string[], rows: readonly object[], absent: string): string {
  const lines = [head, ...rows.map(row => Object.values(row).map(value => String(value ?? absent)))];
  const widths = head.map((_, column) => Math.max(...lines.map(line => line[column]!.length)));
  const padded = lines.map(line => line.map((cell, column) => cell.padEnd(widths[column]!)).join('  '));
  return padded.map(line => line.trimEnd()).join('\n');
}

/** Fields as RFC 4180 §2 quotes them. */
function csvLine(values: readonly unknown[]): string {
  return values.map(value => csvField(String(value ?? ''))).join(',');
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
