import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Subject } from './load.ts';

/** A run of `wrk`. */
export interface Wrk {
  readonly child: Bun.Subprocess;
  /** Resolves when it has ended, with the number of responses and its own CPU time; rejects if any response is not 2xx. */
  readonly outcome: Promise<{ readonly requests: number; readonly clientMs: number }>;
}

/** The default number of a client's connections. */
export const CONNECTIONS = 32;

/** Starts `wrk` on a server for some seconds; several paths are requested in turns. */
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
      ...(paths.length > 1 || paths[0]!.includes(INSTANT) ? ['-s', script] : []),
      `${url}${concretePath(paths[0]!)}`,
    ],
    { stdout: 'pipe', stderr: 'inherit' },
  );
  const outcomeOf = async () => {
    const report = await new Response(child.stdout).text();
    await child.exited;
    rmSync(folder, { recursive: true });
    const requests = /(\d+) requests in/.exec(report)?.[1];
    if (requests === undefined || /Non-2xx|Socket errors/.test(report))
      throw new Error(`${paths[0]}: ${report}`);
    return {
      requests: Number(requests),
      clientMs: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000,
    };
  };
  return { child, outcome: outcomeOf() };
}

/** Placeholder in a path for an instant of this century in seconds since 1970, different in each request. */
export const INSTANT = '{instant}';
const CENTURY_BEGINS = 946_684_800;
const CENTURY_SECONDS = 3_000_000_000;

/** A path with an instant in place of {@link INSTANT}. */
export function concretePath(path: string): string {
  const instant = CENTURY_BEGINS + Math.floor(Math.random() * CENTURY_SECONDS);
  return path.replace(INSTANT, String(instant));
}

/** Formats the requests once and sends them in turns, except for those with an instant, which never repeat. */
function turnsScript(paths: readonly string[]): string {
  return `
local paths = { ${paths.map(path => `'${path}'`).join(', ')} }
local requests = {}
local turn = 0
-- The step is coprime with the length of the century: the instants repeat after three billion.
local instant = ${Math.floor(Math.random() * CENTURY_SECONDS)}
local function next_instant()
  instant = (instant + 1234567891) % ${CENTURY_SECONDS}
  return string.format('%.0f', ${CENTURY_BEGINS} + instant)
end
function init()
  for index, path in ipairs(paths) do
    local whole = wrk.format('GET', path)
    local from, to = whole:find('${INSTANT}', 1, true)
    requests[index] = from and { whole:sub(1, from - 1), whole:sub(to + 1) } or whole
  end
end
function request()
  turn = turn % #requests + 1
  local chosen = requests[turn]
  if type(chosen) == 'string' then return chosen end
  return chosen[1] .. next_instant() .. chosen[2]
end
`;
}
