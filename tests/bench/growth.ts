import { load, medianSpell, type Spell } from './load.ts';
import { median } from './median.ts';
import type { Pace } from './routes.ts';
import { HUNDRED_ZONES, TEN_ZONES } from './scenarios.ts';
import { type Server, startMeridian, startRival, startWorkers } from './servers.ts';

/** How cost grows with something. */
export interface Growth {
  readonly title: string;
  /** The microseconds on a core for one request of meridian, Express and Elysia. */
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

/** The time on a core that a request takes at each point, of each server. */
async function growthOf(
  title: string,
  servers: readonly Server[],
  pace: Pace,
  paths: Readonly<Record<string, string>>,
): Promise<Growth> {
  // The first response with 130 years of holidays takes a rival some seconds.
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

/** What some workers do together. */
export interface WorkerFigures {
  readonly workers: number;
  /** Beside the client, which takes part of the same cores; of one worker while another server works beside it. */
  readonly requestsPerSecond: number;
  /** What a second of the workers' own time on cores gives, times the workers: their pace on cores of their own. */
  readonly requestsPerSecondAlone: number;
}

/**
 * Two servers of one worker at once, and one server of two workers, in turns; each worker shares a core with clients,
 * and has connections from both cores. What is compared is the time on cores that a request takes of the workers, since
 * the clients take a part of the same cores. It is held against two servers and not against one that is alone because a
 * core whose neighbour is idle is up to half as fast again where both share what they compute with (virtual cores mostly
 * do): what is lost from 2 is then what the workers of a server cost each other, and nothing that the machine costs.
 */
async function measureWorkers(pace: Pace): Promise<WorkerFigures[]> {
  const paths = ['/v1/time/current?tz=Europe/Paris'];
  const singles = [await startWorkers(1, 0), await startWorkers(1, 1)];
  const pair = await startWorkers(2, 0);
  const spells: [Spell[], Spell[]] = [[], []];
  for (let round = 0; round <= pace.rounds; round++) {
    // Each of the singles is a disturbance to the other: a single attempt.
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
