import { afterAll, expect, test } from 'bun:test';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { readZonePack } from '../../data/zones/embedded.ts';
import { decodeZonePack, encodeZonePack } from '../../src/zones/zone_pack.ts';
import { bundleIn, dataKit, PACKS, packOf, untilUsed } from '../support/bundles.ts';
import { type RunningServer, startServer } from '../support/process.ts';
import { IS_PROOF } from '../support/proof.ts';

const kit = dataKit();
afterAll(() => kit[Symbol.dispose]());

const SERVERS = IS_PROOF ? 50 : 5;
const INTERVAL_SECONDS = IS_PROOF ? 120 : 4;
/** The most first pulls within a part of the interval: with 50 servers in 10 parts the mean is 5, and more than 18 never happen by chance. */
const [PARTS, MOST] = IS_PROOF ? [10, 18] : [50, 4];

/** A signed bundle with wrong data: Paris has Tokyo's time. */
function poisonedZones() {
  const source = decodeZonePack(readZonePack());
  const files = new Map([...source.files, ['Europe/Paris', source.files.get('Asia/Tokyo')!]]);
  return packOf('tzdata', encodeZonePack({ ...source, files }));
}

/** A file server with one bundle, which records when each path was first requested. */
function fileServer() {
  const served = { path: '' };
  const firstMs = new Map<string, number>();
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch({ url }) {
      const { pathname } = new URL(url);
      if (!firstMs.has(pathname)) firstMs.set(pathname, performance.now());
      return new Response(Bun.file(served.path));
    },
  });
  return {
    served,
    firstMs,
    urlOf: (path: string) => `http://127.0.0.1:${server.port}${path}`,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

/** Requests the time in Paris from each server in turn until stopped; returns wrong responses. */
function clientOf(servers: readonly RunningServer[]) {
  const failures = new Set<string>();
  const state = { isDone: false, requests: 0 };
  const running = (async () => {
    while (!state.isDone) {
      for (const [index, { url }] of servers.entries()) {
        const response = await fetch(`${url}/v1/time/convert?unix=1750000000&tz=Europe/Paris`).catch(String);
        const text = typeof response === 'string' ? response : await response.text();
        const isRight = typeof response !== 'string' && response.ok && text.includes('T17:06:40+02:00');
        if (!isRight) failures.add(`server ${index}: ${text}`);
        state.requests++;
      }
      await Bun.sleep(100);
    }
  })();
  return async () => {
    state.isDone = true;
    await running;
    return { failures: [...failures], requests: state.requests };
  };
}

test(`a fleet of ${SERVERS} servers pulls from one file server, spread over the interval; a poisoned bundle is rejected by all`, async () => {
  const [first, second] = await Promise.all(
    [1, 2].map(number => bundleIn(kit.path, number, PACKS, kit.signers)),
  );
  const poisoned = join(kit.path, 'poisoned.bundle');
  copyFileSync(await bundleIn(kit.newState('poison'), 9, [poisonedZones()], kit.signers), poisoned);
  using files = fileServer();
  files.served.path = first!;
  using running = new DisposableStack();
  const servers: RunningServer[] = [];
  const startedMs: number[] = [];
  for (let index = 0; index < SERVERS; index++) {
    const pull = ['--data-url', files.urlOf(`/${index}`), '--data-interval', `${INTERVAL_SECONDS}s`];
    const state = ['--state-dir', kit.newState(`fleet-${index}`), '--data-keys', kit.keys];
    servers.push(running.use(await startServer([...state, ...pull])));
    startedMs.push(performance.now());
  }
  const logs = servers.map(({ events }) => events);
  const stop = clientOf(servers);
  for (const server of servers) await untilUsed(server, 1);

  const delays = startedMs.map((ms, index) => files.firstMs.get(`/${index}`)! - ms);
  const partOf = (delayMs: number) => Math.floor((delayMs / 1000 / INTERVAL_SECONDS) * PARTS);
  const most = Math.max(...delays.map(one => delays.filter(other => partOf(other) === partOf(one)).length));
  expect(most, `pulls ${delays.map(Math.round)} ms after the starts`).toBeLessThanOrEqual(MOST);

  files.served.path = poisoned;
  for (const [index, log] of logs.entries()) {
    const { error } = await log.next('data could not be pulled');
    expect(error).toContain('it contradicts that Europe/Paris was 7200 s east of UTC');
    const ready = await fetch(`${servers[index]!.url}/readyz`);
    const text = await ready.text();
    expect([ready.status, text.includes('data ok bundle 1\n')]).toEqual([200, true]);
    expect(text).toContain('pull warning the last data pull failed');
  }
  files.served.path = second!;
  for (const server of servers) await untilUsed(server, 2);
  const { failures, requests } = await stop();
  if (IS_PROOF) {
    console.log(`proof: ${SERVERS} servers, ${requests} requests, ${failures.length} failures`);
    const seconds = delays.map(ms => (ms / 1000).toFixed(1)).sort((a, b) => Number(a) - Number(b));
    console.log(`proof: first pulls after ${seconds.join(', ')} s; at most ${most} in a tenth`);
  }
  expect(failures).toEqual([]);
});
