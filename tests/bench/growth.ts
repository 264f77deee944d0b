import { load, median, type Spell } from './load.ts';
import type { Pace } from './routes.ts';
import { HUNDRED_ZONES, TEN_ZONES } from './scenarios.ts';
import { type Server, startMeridian, startRival } from './servers.ts';

/** How cost grows with something. */
export interface Growth {
  readonly title: string;
  /** What the values of a point are. */
  readonly unit: readonly string[];
  readonly points: readonly { readonly at: string; readonly values: readonly string[] }[];
}

const CPU_OF_EACH = ['meridian, µs CPU', 'Express, Luxon', 'Elysia, date-fns'];
const diff = (until: number, country: string) =>
  `/v1/time/diff?from=iso=1970-01-01&to=iso=${until}-01-01&business_days=true&holiday_country=${country}`;

/** Measures how cost grows with zones in a bulk, years in a range, and workers. */
export async function measureGrowth(pace: Pace): Promise<Growth[]> {
  const servers = [await startMeridian(), await startRival('express'), await startRival('elysia')];
  try {
    return [
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
      await workerGrowth(pace),
    ];
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
    values: servers.map((_, index) => median(spells.get(`${at} ${index}`)!).toFixed(1)),
  }));
  return { title, unit: CPU_OF_EACH, points };
}

/**
 * One and two workers. The machine that loads them is the one that they run on, so requests a second say little: what
 * is held against each other is the requests that a second of the workers' own time on cores gives, times the
 * workers. That is what they would do on cores of their own.
 */
async function workerGrowth(pace: Pace): Promise<Growth> {
  const counts = [1, 2];
  const servers = await Promise.all(counts.map(count => startMeridian(['--workers', String(count)])));
  try {
    const spells = counts.map((): Spell[] => []);
    for (let round = 0; round <= pace.rounds; round++) {
      for (const [index, server] of servers.entries()) {
        const spell = await load(server, ['/v1/time/current?tz=Europe/Paris'], pace.seconds);
        if (round > 0) spells[index]!.push(spell);
      }
    }
    const points = counts.map((count, index) => {
      const perCore = median(spells[index]!.map(spell => 1e6 / spell.cpuMicrosecondsPerRequest));
      return { count, perCore, rate: median(spells[index]!.map(spell => spell.requestsPerSecond)) };
    });
    return {
      title: 'Workers',
      unit: ['requests/s beside the client', 'requests a second of a core', 'of all cores', 'over one'],
      points: points.map(({ count, perCore, rate }) => ({
        at: String(count),
        values: [
          rate.toFixed(0),
          perCore.toFixed(0),
          (perCore * count).toFixed(0),
          ((perCore * count) / points[0]!.perCore).toFixed(2),
        ],
      })),
    };
  } finally {
    for (const server of servers) server.stop();
  }
}
