import { expect, test } from 'bun:test';
import {
  type CapacityFigures,
  capacityText,
  demands,
  keyedDemand,
  redisCapacity,
} from './capacity_figures.ts';

const FIGURES: CapacityFigures = {
  machine: '2 cores of a processor',
  version: 'meridian 1.2.3',
  date: '2026-11-23',
  open: [
    { workers: 1, requestsPerSecond: 50_000, cpuMicroseconds: 20 },
    { workers: 2, requestsPerSecond: 90_000, cpuMicroseconds: 21 },
  ],
  keyed: { workers: 1, requestsPerSecond: 40_000, cpuMicroseconds: 25 },
  shared: [{ workers: 1, requestsPerSecond: 20_000, cpuMicroseconds: 50, redisMicroseconds: 10 }],
  responseBytes: 500,
};

test('the demand of 10⁹ requests a day is for its busiest second, minus what a CDN serves', () => {
  // 10⁹ / 86,400 × 3 = 34,722; × 20 µs = 0.694 cores, at 60 % each 1.16
  const [none, half, most] = demands(FIGURES).map(demand => ({
    ...demand,
    requestsPerSecond: Math.round(demand.requestsPerSecond),
    megabitsPerSecond: Math.round(demand.megabitsPerSecond),
  }));
  expect(none).toEqual({ cdnShare: 0, requestsPerSecond: 34_722, cores: 2, megabitsPerSecond: 139 });
  expect(half).toEqual({ cdnShare: 0.5, requestsPerSecond: 17_361, cores: 1, megabitsPerSecond: 69 });
  expect(most).toEqual({ cdnShare: 0.9, requestsPerSecond: 3472, cores: 1, megabitsPerSecond: 14 });
});

test('with API keys it is for all requests, and each Redis is planned at half its capacity', () => {
  expect(keyedDemand(FIGURES)).toEqual({ cores: 2, coresWithRedis: 3, redisServers: 1 });
  const slow = FIGURES.shared.map(measured => ({ ...measured, redisMicroseconds: 20 }));
  expect(keyedDemand({ ...FIGURES, shared: slow }).redisServers).toBe(2);
  expect(redisCapacity(slow)).toBe(50_000);
});

test('the tables fit in 80 columns and have every figure', () => {
  const text = capacityText(FIGURES);
  expect(text.split('\n').filter(line => [...line].length > 80 || line !== line.trimEnd())).toEqual([]);
  for (const line of [
    '    without API keys           2      90,000  21.0 µs',
    '    limits in Redis            1      20,000  50.0 µs       10.0 µs',
    '    requests/s at the servers      34,722  17,361  3,472',
    '    cores                               2       1      1',
    '    cores, limits in Redis  3',
  ]) {
    expect(text.split('\n').map(one => one.replace(/ +/g, ' '))).toContain(line.replace(/ +/g, ' '));
  }
});

test('the help page has the tables of a measurement', async () => {
  const page = await Bun.file(`${import.meta.dir}/../../src/cli/topics/capacity/figures.md`).text();
  const shape = (text: string) => text.match(/^(## .*| {4}[a-z][^\d\n]*?(?= {2}))/gm);
  expect(new Set(shape(page))).toEqual(new Set(shape(capacityText(FIGURES))));
});
