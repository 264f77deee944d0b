/** The output of `meridian tokens list` and `tokens usage`. */
import { type KeyAdministration, type Row, USAGE_COLUMNS } from '../access/administration.ts';
import { monthAt, monthLabelled, monthOf } from '../access/usage.ts';
import { UsageError } from '../common/errors.ts';
import { csvLine } from '../text/csv.ts';
import type { ActionInput } from './command.ts';
import { table } from './report.ts';

type Input = ActionInput<{ readonly month: string | null; readonly json: boolean; readonly csv: boolean }>;

/** Prints the keys with their usage in one month; `place` names the store if it has no keys. */
export async function printKeys(
  { settings, context }: Input,
  keys: KeyAdministration,
  place: string,
): Promise<void> {
  const nowMs = Date.now();
  const month = settings.month === null ? monthOf(nowMs) : monthAt(monthLabelled(settings.month));
  const used = settings.month === null ? 'used_this_month' : 'used';
  const rows = (await reportsOf(keys.list(month.index, nowMs))).map(({ requests, ...report }) => ({
    ...report,
    [used]: requests,
  }));
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
  if (settings.json) context.print(JSON.stringify(rows, null, 2));
  else if (rows.length === 0) context.print(`no API keys in ${place}`);
  else context.print(table(head, rows, 'never'));
}

/** Prints the requests of each key and month, the oldest month first. */
export async function printUsage({ settings, context }: Input, keys: KeyAdministration): Promise<void> {
  if (settings.json && settings.csv) throw new UsageError('tokens usage takes --json or --csv, not both');
  const month = settings.month === null ? null : monthLabelled(settings.month);
  const batches = keys.usage(month, Date.now());
  if (settings.csv) {
    context.print(csvLine(USAGE_COLUMNS).trimEnd());
    for await (const rows of batches)
      context.print(rows.map(({ report }) => csvLine(Object.values(report)).trimEnd()).join('\n'));
    return;
  }
  const rows = await reportsOf(batches);
  const head = USAGE_COLUMNS.map(name => name.toUpperCase());
  if (settings.json) context.print(JSON.stringify(rows, null, 2));
  else context.print(rows.length === 0 ? 'no usage' : table(head, rows, ''));
}

async function reportsOf<Report>(batches: AsyncIterable<readonly Row<unknown, Report>[]>): Promise<Report[]> {
  const reports: Report[] = [];
  for await (const rows of batches) reports.push(...rows.map(({ report }) => report));
  return reports;
}
