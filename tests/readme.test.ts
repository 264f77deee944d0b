import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { definedPlans } from '../src/access/plan.ts';
import { API_ROUTES } from '../src/api/routes.ts';
import { SERVE_FLAGS } from '../src/cli/flags.ts';
import { TOPICS } from '../src/cli/help.ts';
import { readCommandLine } from '../src/cli/settings.ts';
import { parseOrganisationCalendar } from '../src/holidays/organisation_calendar.ts';
import { parseOwnNetworks } from '../src/places/own_networks.ts';
import { formatListenAddress } from '../src/server/listen_address.ts';
import { tableOf } from './holidays/table_of.ts';
import { codeBlock, codeBlocks, documentation } from './support/documentation.ts';
import { send, testServer } from './support/service.ts';

const README = documentation('README.md');

/** The requests in the tour, each with the response shown below it. */
const EXAMPLES = [
  ...README.matchAll(/```sh\ncurl 'http:\/\/127\.0\.0\.1:8080([^']+)'\n```\n\n```json\n([\s\S]*?)```/g),
].map(([, path, response]) => ({ path: path!, response: JSON.parse(response!) as unknown }));

test('the README is a front page with examples', () => {
  expect(README.split('\n').length).toBeLessThanOrEqual(255);
  expect(EXAMPLES.length).toBeGreaterThanOrEqual(4);
});

for (const { path, response } of EXAMPLES) {
  test(`the README shows the actual response to ${path}`, async () => {
    expect((await send(path)).body).toEqual(response);
  });
}

test('the README shows the actual error message', async () => {
  const { body } = await send('/v1/time/convert?unix=1.5&utc=true');
  expect(README).toContain(`\`${body.error.message}\``);
});

test('the README lists every route and every help topic', () => {
  for (const { path } of API_ROUTES)
    expect(README).toMatch(new RegExp(`\\n\\|[^|]* \`${RegExp.escape(path)}\`[^|]* \\| `));
  for (const { name, summary } of TOPICS) expect(README).toContain(`\n| \`${name}\` | ${summary} |\n`);
});

test('every link within the README leads to a heading, and every picture link to a file', () => {
  const anchors = [...README.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
  const links = [...README.matchAll(/(?<!!)\[[^\]]+\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor!);
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter(link => !anchors.includes(link))).toEqual([]);
  const pictures = [...README.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path]) => path!);
  expect(pictures.map(path => [path, existsSync(join(import.meta.dir, '..', path))])).toEqual(
    pictures.map(path => [path, true]),
  );
});

test('the configuration in meridian help settings is valid', () => {
  const config = codeBlock('src/cli/topics/settings.md', 'toml', [['"auto"', '1']]); // several workers require Linux
  const { settings } = readCommandLine(SERVE_FLAGS, ['--config', 'meridian.toml'], {
    environment: {},
    readConfig: () => config,
  });
  expect(settings.listen.map(formatListenAddress)).toEqual(['127.0.0.1:8080', 'unix:/run/meridian/socket']);
  expect(settings['trust-proxy'].trustsUnix).toBe(true);
});

test('the plans in meridian help quotas are valid', () => {
  const plans = definedPlans(Bun.TOML.parse(codeBlock('src/cli/topics/quotas.md', 'toml')));
  expect([...plans.keys()].sort()).toEqual(['batch', 'default']);
});

test('the networks and holidays in meridian help data-files are valid', () => {
  const [networks, holidays] = codeBlocks('src/cli/topics/data-files.md', '');
  const { zones } = testServer().snapshot();
  expect(() => parseOwnNetworks(networks!, name => zones.find(name) !== undefined)).not.toThrow();
  expect(parseOrganisationCalendar(holidays!, tableOf({ DE: [], 'DE-BY': [] })).size).toBe(3);
});
