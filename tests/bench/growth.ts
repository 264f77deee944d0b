import { load, medianSpell, type Spell } from './load.ts';
import { median } from './median.ts';
import type { Pace } from './routes.ts';
import { HUNDRED_ZONES, TEN_ZONES } from './scenarios.ts';
import { type Server, startMeridian, startRival, startWorkers } from './servers.ts';

/** How cost grows with one variable. */
export interface Growth {
  readonly title: string;
  /** CPU time in microseconds for one request, of meridian, Express and Elysia. */
  readonly points: readonly { readonly at: string; readonly microseconds: readonly number[] }[];
}

const diff = (until: number, country: string) =>
  `/v1/time/diff?from=iso=1970-01-01&to=iso=${until}-01-01&business_days=true&holiday_country=${country}`;

/** Measures how cost grows with zones in a bulk, years in a range, and workers. */
export async function measureGrowth(pace: Pace): Promise<{ growth: Growth[]; workers: WorkerFigures[] }> {
  const workers = await measureWorkers(pace);
  const servers = [await startMeridian(), await startRival('express'), await startRival('elysia')];
  try {
    const growth = [
      await growthOf('Zones in a bulk', servers, pace, {
        '1': '/v1/time/current?tz=Europe/Paris',
        '10': `/v1/time/current?tz=${TEN_ZONES}`,
        '100': `/v1/time/current?tz=${HUNDRED_ZONES}`,
      }),
      await growthOf('Years between two dates, business days of Germany', servers, pace, {
        '1': diff(1971, 'DE'),
        '10': diff(1980, 'DE'),
        '130': diff(2100, 'DE'),
      }),
    ];
    return { growth, workers };
  } finally {
    for (const server of servers) server.stop();
  }
}

/** The CPU time of a request at each point, for each server. */
async function growthOf(
  title: string,
  servers: readonly Server[],
  pace: Pace,
  paths: Readonly<Record<string, string>>,
): Promise<Growth> {
  // A rival takes some seconds for the first response with 130 years of holidays.
  for (const path of Object.values(paths))
    for (const { url } of servers) await (await fetch(url + path)).text();
  const spells = new Map<string, number[]>();
  for (let round = 0; round <= pace.rounds; round++) {
    for (const [at, path] of Object.entries(paths)) {
      for (const [index, server] of servers.entries()) {
        const { cpuMicrosecondsPerRequest } = await load(server, [path], pace.seconds);
        const key = `${at} ${index}`;
        if (round > 0) spells.set(key, [...(spells.get(key) ?? []), cpuMicrosecondsPerRequest]);
      }
    }
  }
  const points = Object.keys(paths).map(at => ({
    at,
    microseconds: servers.map((_, index) => median(spells.get(`${at} ${index}`)!)),
  }));
  return { title, points };
}

/** The throughput of some workers together. */
export interface WorkerFigures {
  readonly workers: number;
  /** With the client on the same cores; for one worker, while another server is as busy. */
  readonly requestsPerSecond: number;
  /** Requests per second of the workers' own CPU time, times the workers: their throughput on dedicated cores. */
  readonly requestsPerSecondAlone: number;
}

/**
 * Alternates between two concurrent servers with one worker each and one server with two workers; each worker shares a core
 * with clients, and has connections from both cores. Compares the CPU time that a request takes of the workers, since clients
 * use the same cores. The reference is two servers rather than a single one because a core with an idle sibling is up to half
 * as fast again if both share execution units (as virtual cores mostly do): the loss from 2 is then what the workers of a
 * server cost each other, not what the machine costs.
 */
async function measureWorkers(pace: Pace): Promise<WorkerFigures[]> {
  const paths = ['/v1/time/current?tz=Europe/Paris'];
  const singles = [await startWorkers(1, 0), await startWorkers(1, 1)];
  const pair = await startWorkers(2, 0);
  const spells: [Spell[], Spell[]] = [[], []];
  for (let round = 0; round <= pace.rounds; round++) {
    // The two single-worker servers disturb each other: no retries.
    const ofSingles = await Promise.all(singles.map(single => load(single, paths, pace.seconds, 1)));
    const ofPair = await load(pair, paths, pace.seconds);
    if (round === 0) continue;
    spells[0].push(...ofSingles);
    spells[1].push(ofPair);
  }
  for (const server of [...singles, pair]) server.stop();
  return spells.map((ofOne, index) => {
    const workers = index + 1;
    const { requestsPerSecond, cpuMicrosecondsPerRequest } = medianSpell(ofOne);
    return {
      workers,
      requestsPerSecond,
      requestsPerSecondAlone: (workers * 1e6) / cpuMicrosecondsPerRequest,
    };
  });
}
