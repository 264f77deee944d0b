import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPlans } from '../src/access/plan.ts';
import { SERVE_FLAGS } from '../src/cli/flags.ts';
import { readCommandLine } from '../src/cli/settings.ts';
import { formatListenAddress } from '../src/server/listening/listen_address.ts';
import { ask } from './http/service.ts';

const README = readFileSync(join(import.meta.dir, '../README.md'), 'utf8');

/** The requests of the tour, each with the answer that is printed below it. */
const EXAMPLES = [
  ...README.matchAll(
    /```sh\ncurl(?: -H '([^']+)')? 'http:\/\/127\.0\.0\.1:8080([^']+)'\n```\n\n```json\n([\s\S]*?)```/g,
  ),
].map(([, header, path, answer]) => ({ header, path: path!, answer: JSON.parse(answer!) as unknown }));

test('the README has examples', () => {
  expect(EXAMPLES.length).toBeGreaterThanOrEqual(8);
});

for (const { header, path, answer } of EXAMPLES) {
  test(`the README's answer to ${path} is the one that is given`, async () => {
    const [name, value] = header?.split(': ') ?? [];
    const { body } = await ask(path, name === undefined ? {} : { headers: { [name]: value! } });
    expect(body).toEqual(answer);
  });
}

test('the README lists every flag of serve', () => {
  for (const name of Object.keys(SERVE_FLAGS)) expect(README).toContain(`| \`--${name}`);
});

test('every link within the README leads to a heading', () => {
  const anchors = [...README.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
  const links = [...README.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter(link => !anchors.includes(link!))).toEqual([]);
});

/** The TOML files that the README prints. */
const TOML = [...README.matchAll(/```toml\n([\s\S]*?)```/g)].map(([, text]) => text!);

test('the configuration that the README prints is read', () => {
  const config = TOML.find(text => text.includes('--config'))!;
  const { settings } = readCommandLine(SERVE_FLAGS, ['--config', 'meridian.toml'], {
    environment: {},
    readConfig: () => config.replace('"auto"', '1'), // more than one wants Linux
  });
  expect(settings.listen.map(formatListenAddress)).toEqual(['127.0.0.1:8080', 'unix:/run/meridian/socket']);
  expect(settings['trust-proxy'].trustsUnix).toBe(true);
});

test('the plans that the README prints are read', () => {
  const plans = readPlans(Bun.TOML.parse(TOML.find(text => text.includes('[plans.'))!));
  expect([...plans.keys()].sort()).toEqual(['batch', 'default']);
});
