import { median } from '../bench/median.ts';

export interface Latency {
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** Requests whose response was not 200. */
  readonly failures: number;
}

/** The pause between the requests of a client that sends one now and then, as most do. */
const PAUSE_MS = 2;

/** Sends one request after another until `isOver`, half of them on new connections. */
export async function measureLatency(url: string, isOver: () => boolean): Promise<Latency> {
  const times: number[] = [];
  let failures = 0;
  while (!isOver()) {
    const started = performance.now();
    const keepalive = times.length % 2 === 0;
    const isFine = await fetch(`${url}/v1/time/current?tz=Europe/Paris`, {
      keepalive,
      signal: AbortSignal.timeout(10_000),
    }).then(
      async response => response.status === 200 && (await response.text()).startsWith('{"unix":'),
      () => false,
    );
    if (isFine) times.push(performance.now() - started);
    else failures++;
    await Bun.sleep(PAUSE_MS);
  }
  const sorted = times.toSorted((a, b) => a - b);
  return {
    medianMs: median(times),
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    longestMs: sorted.at(-1) ?? Number.NaN,
    failures,
  };
}
