import { load, median, medianSpell, type Spell } from './load.ts';
import type { Pace } from './routes.ts';
import { HUNDRED_ZONES, TEN_ZONES } from './scenarios.ts';
import { type Server, startMeridian, startRival } from './servers.ts';

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
  // The first answer for 130 years of holidays takes a rival some seconds.
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
  /** Beside the client, which takes part of the same cores. */
  readonly requestsPerSecond: number;
  /** What a second of the workers' own time on cores gives, times the workers: their pace on cores of their own. */
  readonly requestsPerSecondAlone: number;
}

/** One and two workers in turns. */
async function measureWorkers(pace: Pace): Promise<WorkerFigures[]> {
  const counts = [1, 2];
  const servers = await Promise.all(counts.map(count => startMeridian(['--workers', String(count)])));
  const spells = counts.map((): Spell[] => []);
  for (let round = 0; round <= pace.rounds; round++) {
    for (const [index, server] of servers.entries()) {
      const spell = await load(server, ['/v1/time/current?tz=Europe/Paris'], pace.seconds);
      if (round > 0) spells[index]!.push(spell);
    }
  }
  for (const server of servers) server.stop();
  return counts.map((workers, index) => {
    const { requestsPerSecond, cpuMicrosecondsPerRequest } = medianSpell(spells[index]!);
    return {
      workers,
      requestsPerSecond,
      requestsPerSecondAlone: (workers * 1e6) / cpuMicrosecondsPerRequest,
    };
  });
}
