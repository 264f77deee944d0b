/** `meridian tokens export` and `tokens import`. */
import { readFileSync } from 'node:fs';
import type { KeyStore } from '../access/key_store.ts';
import { planEntry } from '../access/plan.ts';
import { readTransfer, type Transfer, writeTransfer } from '../access/transfer.ts';
import { systemReason, UsageError } from '../common/errors.ts';
import { writeDurably } from '../common/state_files.ts';
import { counted } from '../common/words.ts';
import { knownPlans, withKeyStore, withPlanStore } from './access_stores.ts';
import type { ActionInput } from './command.ts';
import type { ServeSettings } from './flags.ts';

type Input = ActionInput<Pick<ServeSettings, 'plans' | 'redis'> & { readonly merge: boolean }>;

/** The operand for standard output or input. */
const STANDARD = '-';
/** How many keys an error lists. */
const NAMED_KEYS = 5;

/** Writes all keys, plans and usage to a private file; `path` is that of the store in the state directory. */
export async function exportTokens({ settings, operand, context }: Input, path: string): Promise<void> {
  const known = [...(await knownPlans(settings))].filter(([, { from }]) => from !== 'built-in');
  const plans = new Map(known.map(([name, { plan }]) => [name, planEntry(plan)]));
  const contents = await withKeyStore({ path, redis: settings.redis }, false, async store => ({
    keys: await store.keys(),
    removed: await store.removed(),
    usage: await store.usage(),
  }));
  const transfer = { plans, ...contents };
  const lines = [...writeTransfer(transfer)].map(line => `${line}\n`).join('');
  if (operand === STANDARD) await context.write(lines);
  else await writeFile(operand, lines);
  console.error(`meridian: exported ${summaryOf(transfer)}`);
}

/** Stores the keys, plans and usage of a file: all, or none if it is damaged. `place` names the store. */
export async function importTokens(input: Input, path: string, place: string): Promise<void> {
  const { settings, operand, context } = input;
  const transfer = await readFile(operand);
  if (transfer.plans.size > 0 && settings.redis === null && settings.plans === null)
    throw new UsageError('Importing plans requires --plans FILE or --redis URL');
  await withKeyStore({ path, redis: settings.redis }, true, async (store, file) => {
    if (!settings.merge) await requireNoOtherKeys(store, transfer, place);
    if (transfer.plans.size > 0)
      await withPlanStore(settings, async plans => {
        for (const [name, entry] of transfer.plans) await plans.set(name, entry);
      });
    await store.put(transfer);
    // A server would report the usage in the file to Redis.
    if (settings.redis !== null) file?.dropUsage(transfer.usage);
  });
  context.print(`imported ${summaryOf(transfer)}; running servers apply this within a second`);
}

async function requireNoOtherKeys(store: KeyStore, { keys }: Transfer, place: string): Promise<void> {
  const imported = new Set(keys.map(({ id }) => id));
  const others = (await store.keys()).map(({ id }) => id).filter(id => !imported.has(id));
  if (others.length === 0) return;
  const ids = others.slice(0, NAMED_KEYS).join(', ') + (others.length > NAMED_KEYS ? ', …' : '');
  throw new Error(`${place} has ${counted(others.length, 'other API key')} (${ids}); --merge adds to them`);
}

async function writeFile(path: string, text: string): Promise<void> {
  try {
    await writeDurably(path, text);
  } catch (error) {
    throw new Error(`Cannot write '${path}': ${systemReason(error)}`);
  }
}

async function readFile(path: string): Promise<Transfer> {
  try {
    return readTransfer(path === STANDARD ? await Bun.stdin.text() : readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`Cannot import '${path}': ${systemReason(error)}; nothing was imported`);
  }
}

function summaryOf({ keys, removed, plans, usage }: Transfer): string {
  const gone = removed.length === 0 ? '' : ` and ${counted(removed.length, 'removed one')}`;
  const requests = usage.reduce((sum, { count }) => sum + count, 0);
  return `${counted(keys.length, 'API key')}${gone}, ${counted(plans.size, 'plan')}, ${counted(requests, 'request')}`;
}
