import { UsageError, visible } from '../../common/errors.ts';
import { utcText } from '../../common/iso_text.ts';
import type { RedisLink } from '../../redis/redis_link.ts';
import { LISTED_MS, type MachineReport, type Revisions, redisMachines } from '../../server/machines.ts';
import { redisReport } from '../../server/redis_report.ts';
import { withRedis } from '../access_stores.ts';
import { defineActions } from '../command.ts';
import { COMMON_FLAGS, fromServe, toggle } from '../flags.ts';
import { table } from '../report.ts';

/** Longer than machines take to apply a change and report it. */
const SETTLING_MS = 2000;

export const fleetCommand = defineActions({
  name: 'fleet',
  summary: 'list machines that share a Redis, and their differences; exit 1 if any',
  flags: { ...COMMON_FLAGS, ...fromServe('redis'), json: toggle('print JSON') },
  actions: {
    status: {
      async run({ settings, context }) {
        if (settings.redis === null) throw new UsageError('fleet status requires --redis URL');
        const found = await withRedis(settings.redis, settledStatus);
        const status = { ...found, problems: (await redisReport(settings.redis)).problems };
        const { machines, disagreements, problems } = status;
        context.print(settings.json ? JSON.stringify(status, null, 2) : textOf(status));
        return machines.length > 0 && disagreements.length === 0 && problems.length === 0 ? 0 : 1;
      },
    },
  },
});

type Status = Awaited<ReturnType<typeof statusOf>>;

/** The status. If something differs, waits and checks again, since a change may be in progress. */
async function settledStatus(redis: RedisLink): Promise<Status> {
  const first = await statusOf(redis);
  if (first.disagreements.length === 0) return first;
  await Bun.sleep(SETTLING_MS);
  return statusOf(redis);
}

async function statusOf(redis: RedisLink) {
  const machines = await listMachines(redis);
  const revisionOf = (name: string) => redis.hash(name).revision();
  const present = { api_keys: await revisionOf('keys'), plans: await revisionOf('plans') };
  return { machines, disagreements: disagreements(machines, present) };
}

async function listMachines(redis: RedisLink): Promise<Machine[]> {
  const listed = await redisMachines(redis.execute.bind(redis)).list();
  const machines = listed.map(({ report, clockAheadMs }) => ({ ...report, clock_ahead_ms: clockAheadMs }));
  return machines.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

function textOf({ machines, disagreements, problems }: Status & { problems: readonly string[] }): string {
  const faults = problems.map(problem => `problem: Redis: ${visible(problem)}`);
  if (machines.length === 0)
    return [...faults, `no machine has reported to Redis in the last ${LISTED_MS / 1000} seconds`].join('\n');
  const rows = machines.map(machine => ({
    name: nameOf(machine),
    version: machine.version,
    tzdata: machine.data['tzdata'],
    workers: machine.workers,
    signs_with: machine.signs_with,
    clock: clockText(machine.clock_ahead_ms),
    started: utcText(Date.parse(machine.started)),
  }));
  const head = ['MACHINE', 'VERSION', 'TZDATA', 'WORKERS', 'SIGNS WITH', 'CLOCK', 'STARTED'];
  const lines = disagreements.map(({ what, values }) => {
    const texts = values.map(({ value, machines }) => `${value} on ${machines.join(', ')}`);
    return `differs: ${what}: ${texts.join('; ')}`;
  });
  const differences = lines.length === 0 ? ['nothing differs'] : lines;
  return [table(head, rows, 'none'), ...faults, ...differences].join('\n');
}

/** A machine as seen by others. */
export interface Machine extends MachineReport {
  readonly clock_ahead_ms: number;
}

/** A difference between machines: the values, and the machines that have each of them. */
interface Disagreement {
  readonly what: string;
  readonly values: readonly { readonly value: string; readonly machines: readonly string[] }[];
}

/** The maximum difference between a clock and Redis's, in milliseconds: a larger one would affect key expiry. */
const CLOCK_TOLERANCE_MS = 1000;

/** All differences between machines, or from Redis: `present` are its revisions. */
export function disagreements(machines: readonly Machine[], present: Revisions): Disagreement[] {
  const groupsOf = (what: string, read: (machine: Machine) => string | null): Disagreement => {
    const groups = [...Map.groupBy(machines, read)];
    const values = groups.flatMap(([value, having]) =>
      value === null ? [] : [{ value, machines: having.map(nameOf) }],
    );
    return { what, values };
  };
  const sets = new Set(machines.flatMap(({ data }) => Object.keys(data)));
  const outdated = (name: keyof Revisions) => (machine: Machine) =>
    machine[name] === present[name] ? null : `of ${machine[name] || 'never'}`;
  const skewed = ({ clock_ahead_ms: aheadMs }: Machine) =>
    Math.abs(aheadMs) <= CLOCK_TOLERANCE_MS ? null : clockText(aheadMs);
  const among = [
    groupsOf('version', ({ version }) => version),
    ...[...sets].map(set => groupsOf(set, ({ data }) => data[set] ?? 'none')),
    groupsOf('public keys', ({ public_keys }) => public_keys),
  ];
  // These matter even if all machines agree.
  const fromRedis = [
    groupsOf('API keys', outdated('api_keys')),
    groupsOf('plans', outdated('plans')),
    groupsOf('clock', skewed),
  ];
  return [
    ...among.filter(({ values }) => values.length > 1),
    ...fromRedis.filter(({ values }) => values.length > 0),
  ];
}

/** The display name of a machine, since several may run on one host. */
export function nameOf({ host, machine }: MachineReport): string {
  return `${host}/${machine}`;
}

/** How far a clock is from Redis's. */
export function clockText(aheadMs: number): string {
  const seconds = Math.abs(aheadMs / 1000).toFixed(1);
  return aheadMs < 0 ? `${seconds} s behind` : `${seconds} s ahead`;
}
