import { readFileSync } from 'node:fs';
import { startServer } from '../binary/process.ts';
import { median } from './load.ts';

/** How long the binary takes from its start to its first answer, and how much memory it then holds. */
export async function measureStart(times = 11): Promise<string> {
  const starts: number[] = [];
  const megabytes: number[] = [];
  for (let round = 0; round < times; round++) {
    const beganMs = performance.now();
    using server = await startServer();
    await (await fetch(`${server.url}/v1/time/current?tz=Europe/Paris`)).text();
    starts.push(performance.now() - beganMs);
    megabytes.push(residentMegabytes(server.child.pid));
  }
  const spread = `${Math.min(...starts).toFixed(0)} to ${Math.max(...starts).toFixed(0)}`;
  return `start to first answer ${median(starts).toFixed(0)} ms (${spread}), memory ${median(megabytes).toFixed(0)} MB`;
}

function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
