import { defineCommand } from '../command.ts';
import { COMMON_FLAGS } from '../flags.ts';
import { readCommandLine } from '../settings.ts';
import { MCP_FLAGS, openLocalApp } from './get.ts';
import goldenRequests from './golden_requests.toml';

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
    const requests = Object.entries(goldenRequests);
    let differences = 0;
    for (const [path, expected] of requests) {
      const response = await app.handle(new Request(`http://localhost${path}`));
      const body: unknown = await response.json();
      for (const [member, value] of Object.entries({ status: 200, ...expected })) {
        const found = member === 'status' ? response.status : memberOf(body, member);
        if (found === value) continue;
        print(`FAIL  ${path}: ${member} is ${JSON.stringify(found)}, expected ${JSON.stringify(value)}`);
        differences++;
      }
    }
    print(`${requests.length} requests, ${differences} differences`);
    return differences === 0 ? 0 : 1;
  },
});

/** The member at a path such as `0.date`. */
function memberOf(body: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (Object(value) as Record<string, unknown>)[name], body);
}
