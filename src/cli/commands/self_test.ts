import { isDeepStrictEqual } from 'node:util';
import { defineCommand } from '../command.ts';
import { COMMON_FLAGS, MCP_FLAGS } from '../flags.ts';
import { GOLDEN_REQUESTS, type GoldenRequest } from '../golden_requests.ts';
import { openLocalApp } from '../local_app.ts';
import { readCommandLine } from '../settings.ts';

export const selfTestCommand = defineCommand({
  name: 'self-test',
  synopsis: '',
  summary: 'compare fifty responses from the embedded data with known results, offline',
  flags: COMMON_FLAGS,
  ignoresEnvironment: true,
  async run(_, { print, readConfig }) {
    // Ignores this host's settings, which may configure other data.
    const { settings } = readCommandLine(MCP_FLAGS, [], { environment: {}, readConfig });
    const { app } = await openLocalApp(settings, {});
    const differences: string[] = [];
    for (const request of GOLDEN_REQUESTS) {
      const response = await app.handle(new Request(`http://localhost${request.path}`));
      differences.push(...differencesOf(request, response.status, await response.json()));
    }
    for (const difference of differences) print(`FAIL  ${difference}`);
    print(`${GOLDEN_REQUESTS.length} requests, ${differences.length} differences`);
    return differences.length === 0 ? 0 : 1;
  },
});

function differencesOf({ path, expected }: GoldenRequest, status: number, body: unknown): string[] {
  return Object.entries(expected).flatMap(([member, value]) => {
    const found = member === 'status' ? status : memberOf(body, member);
    if (isDeepStrictEqual(found, value)) return [];
    return [`${path}: ${member} is ${JSON.stringify(found)}, expected ${JSON.stringify(value)}`];
  });
}

/** The member at a path such as `0.date`. */
function memberOf(body: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (Object(value) as Record<string, unknown>)[name], body);
}
