import { readFileSync } from 'node:fs';

/** What one spell of load came to. */
export interface Spell {
  readonly requestsPerSecond: number;
  /** Time of the server's process on a core, for one request: free of what the client takes. */
  readonly cpuMicrosecondsPerRequest: number;
}

/** A server under test. */
export interface Subject {
  readonly url: string;
  readonly pid: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const CONNECTIONS = 32;

/** Loads a URL with `wrk` for some seconds from one thread. Throws where any answer is not 2xx. */
export async function load(subject: Subject, path: string, seconds: number): Promise<Spell> {
  const headers = Object.entries(subject.headers ?? {}).flatMap(([name, value]) => [
    '-H',
    `${name}: ${value}`,
  ]);
  const before = cpuTicks(subject.pid);
  const wrk = Bun.spawn(
    ['wrk', '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, ...headers, `${subject.url}${path}`],
    { stdout: 'pipe', stderr: 'inherit' },
  );
  const report = await new Response(wrk.stdout).text();
  const ticks = cpuTicks(subject.pid) - before;
  if (/Non-2xx|Socket errors/.test(report)) throw new Error(`${path}: ${report}`);
  const requests = Number(/(\d+) requests in/.exec(report)?.[1]);
  const requestsPerSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(report)?.[1]);
  return { requestsPerSecond, cpuMicrosecondsPerRequest: (ticks * 10_000) / requests };
}

/** User and system time of a process in hundredths of a second. */
function cpuTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** The middle of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
