/** The output of `meridian tokens list` and `tokens usage`. */
import {
  listKeys,
  listUsage,
  type Row,
  USAGE_COLUMNS,
  type UsageReport,
} from '../access/administration/key_reports.ts';
import { type Month, monthAt, monthLabelled, monthOf } from '../access/month.ts';
import type { TokenStore } from '../access/stored_token.ts';
import { UsageError } from '../common/errors.ts';
import type { ActionInput } from './command.ts';
import type { SettingsOf, TOKENS_FLAGS } from './flags.ts';
import { table } from './table.ts';

type Input = ActionInput<SettingsOf<typeof TOKENS_FLAGS>>;

/** Prints the keys of a store with their usage in one month; `place` names the store if it has no keys. */
export async function printKeys(
  { settings, context }: Input,
  store: TokenStore,
  place: string,
): Promise<void> {
  const nowMs = Date.now();
  const month = settings.month === null ? monthOf(nowMs) : monthAt(monthLabelled(settings.month));
  const reports = await reportsOf(listKeys(store, month.index, nowMs));
  const rows = reports.map(({ requests, ...report }) => ({
    ...report,
    ...usageColumn(settings.month, requests),
  }));
  if (settings.json) context.print(JSON.stringify(rows, null, 2));
  else if (rows.length === 0) context.print(`no API keys in ${place}`);
  else context.print(keyTable(rows, month));
}

/** Prints the requests of each key and month, the oldest month first. */
export async function printUsage({ settings, context }: Input, store: TokenStore): Promise<void> {
  if (settings.json && settings.csv) throw new UsageError('tokens usage takes --json or --csv, not both');
  const month = settings.month === null ? null : monthLabelled(settings.month);
  const batches = listUsage(store, month, Date.now());
  if (settings.csv) return printCsv(context, batches);
  const rows = await reportsOf(batches);
  if (settings.json) context.print(JSON.stringify(rows, null, 2));
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

async function printCsv(
  { print }: Input['context'],
  batches: AsyncIterable<readonly Row<unknown, UsageReport>[]>,
): Promise<void> {
  print(csvLine(USAGE_COLUMNS));
  for await (const rows of batches)
    print(rows.map(({ report }) => csvLine(Object.values(report))).join('\n'));
}

async function reportsOf<Report>(batches: AsyncIterable<readonly Row<unknown, Report>[]>): Promise<Report[]> {
  const reports: Report[] = [];
  for await (const rows of batches) reports.push(...rows.map(({ report }) => report));
  return reports;
}

/** `used_this_month`, or `used` if a month was given. */
function usageColumn(month: string | null, used: number) {
  return month === null ? { used_this_month: used } : { used };
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

/** Fields quoted as in RFC 4180 §2. */
function csvLine(values: readonly unknown[]): string {
  return values.map(value => csvField(String(value ?? ''))).join(',');
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
