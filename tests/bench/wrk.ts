import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Subject } from './load.ts';

/** A run of `wrk`. */
export interface Wrk {
  readonly child: Bun.Subprocess;
  /** Once it has ended: the requests that were answered, and its own time on a core. Fails where any answer is not 2xx. */
  readonly outcome: Promise<{ readonly requests: number; readonly clientMs: number }>;
}

/** Connections of a client, unless its subject says otherwise. */
export const CONNECTIONS = 32;

/** Starts `wrk` on a server for some seconds; several paths are asked in turns. */
export function startWrk(
  { url, headers = {}, clientCores, connections = CONNECTIONS }: Subject,
  paths: readonly string[],
  seconds: number,
): Wrk {
  const folder = mkdtempSync(join(tmpdir(), 'meridian-load-'));
  const script = join(folder, 'paths.lua');
  writeFileSync(script, turnsScript(paths));
  const placed = clientCores === undefined ? [] : ['taskset', '-c', clientCores.join()];
  const threads = clientCores?.length ?? 1;
  const child = Bun.spawn(
    [
      ...placed,
      'wrk',
      ...[`-t${threads}`, `-c${connections}`, '--timeout', '30s', `-d${seconds}s`],
      ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
      ...(paths.length > 1 ? ['-s', script] : []),
      `${url}${paths[0]}`,
    ],
    { stdout: 'pipe', stderr: 'inherit' },
  );
  const outcomeOf = async () => {
    const report = await new Response(child.stdout).text();
    await child.exited;
    rmSync(folder, { recursive: true });
    if (/Non-2xx|Socket errors/.test(report)) throw new Error(`${paths[0]}: ${report}`);
    return {
      requests: Number(/(\d+) requests in/.exec(report)?.[1]),
      clientMs: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000,
    };
  };
  return { child, outcome: outcomeOf() };
}

/** Makes the requests once and hands them out in turns. */
function turnsScript(paths: readonly string[]): string {
  return `
local paths = { ${paths.map(path => `'${path}'`).join(', ')} }
local requests = {}
local turn = 0
function init()
  for index, path in ipairs(paths) do requests[index] = wrk.format('GET', path) end
end
function request()
  turn = turn % #requests + 1
  return requests[turn]
end
`;
}
