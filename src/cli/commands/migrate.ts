import { randomUUID } from 'node:crypto';
import { type Migrated, type MigrationStore, migrate } from '../../access/administration/migration.ts';
import { MigrationFile } from '../../access/administration/migration_file.ts';
import { PlanFile } from '../../access/plan_file.ts';
import { RedisMigrationStore } from '../../access/redis/redis_migration_store.ts';
import { UsageError } from '../../common/errors.ts';
import { counted } from '../../common/words.ts';
import { tokenStorePath } from '../../server/access.ts';
import { nameOf } from '../../server/machines.ts';
import {
  controlPaths,
  readControlFile,
  type ServerReport,
  stateDirectory,
} from '../../server/state_directory.ts';
import { type ActionInput, defineActions } from '../command.ts';
import { MIGRATE_FLAGS, type SettingsOf } from '../flags.ts';
import { withRedis } from '../stores/key_stores.ts';
import { listMachines } from '../stores/machines.ts';

type Input = ActionInput<SettingsOf<typeof MIGRATE_FLAGS>>;

/** How long to wait while another process is writing. */
const BUSY_MS = 5000;

export const migrateCommand = defineActions({
  name: 'migrate',
  synopsis: 'to-redis | to-file [--merge]',
  summary: 'move API keys, plans and usage from the file to Redis or back',
  flags: MIGRATE_FLAGS,
  usesState: true,
  actions: {
    'to-redis': { run: input => run(input, (file, redis) => [file, redis]) },
    'to-file': {
      async run(input) {
        await requireFleetStopped(input);
        await run(input, (file, redis) => [redis, file]);
      },
    },
  },
});

type Direction = (file: MigrationStore, redis: MigrationStore) => [MigrationStore, MigrationStore];

async function run(input: Input, direction: Direction): Promise<void> {
  const { settings, context } = input;
  if (settings.redis === null) throw new UsageError('migrate requires --redis URL');
  requireStopped(input);
  const path = tokenStorePath(settings, context.environment);
  const plans = settings.plans === null ? null : new PlanFile(settings.plans);
  await withRedis(settings.redis, async redis => {
    const file = new MigrationFile(path, BUSY_MS, plans);
    try {
      const [source, target] = direction(file, new RedisMigrationStore(redis));
      report(input, target, await migrate(source, target, randomUUID(), settings.merge));
    } finally {
      file.close();
    }
  });
}

/** A running server would continue counting in the old place. */
function requireStopped({ settings, context }: Input): void {
  const { report } = controlPaths(stateDirectory(settings['state-dir'], context.environment));
  const pid = readControlFile<ServerReport>(report)?.pid;
  if (pid === undefined || !isRunning(pid)) return;
  throw new Error(
    `Server ${pid} uses this state directory: stop it first, or remove ${report} if that process is not a server`,
  );
}

/** Servers on other machines would restore the removed values in Redis. */
async function requireFleetStopped({ settings }: Input): Promise<void> {
  if (settings.redis === null) return;
  const running = (await withRedis(settings.redis, listMachines)).map(nameOf);
  if (running.length === 0) return;
  throw new Error(
    `Servers use this Redis: ${running.join(', ')}; stop them first, and wait 15 seconds for killed ones`,
  );
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function report({ context }: Input, target: MigrationStore, migrated: Migrated): void {
  const { keys, removedKeys, plans, requests, months, leftPlans, leftKeys, wasResumed } = migrated;
  const removed = removedKeys === 0 ? '' : ` and ${counted(removedKeys, 'removed one')}`;
  const usage = `${counted(requests, 'request')} in ${counted(months, 'month')}`;
  const rest = wasResumed ? ' the rest of' : '';
  context.print(
    `moved${rest} to ${target.name}: ${counted(keys, 'API key')}${removed}, ${counted(plans, 'plan')}, ${usage}`,
  );
  for (const name of leftPlans) context.print(`left in both: plan '${name}'`);
  for (const id of leftKeys) context.print(`left in both: API key ${id}`);
  if (leftKeys.length > 0)
    throw new Error(
      `${counted(leftKeys.length, 'API key')} not moved: make them equal in both places, or remove one, and run it again with --merge`,
    );
}
