import { describe, expect, test } from 'bun:test';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { control } from '../access/control.ts';
import { temporaryFolder } from '../support/process.ts';
import { fc } from '../support/property.ts';
import { NOW_MS, testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';
import { zone } from './grammar.ts';

const DAY_MS = 86_400_000;
const signing = fixedKeys([sampleKey(1, 'ed25519-2026-04-01')]);

/** Instants that a clock is set to: small steps, and steps across clock changes, months and centuries, in both directions. */
const instants = fc.array(
  fc.oneof(
    fc.integer({ min: -2000, max: 2000 }).map(ms => NOW_MS + ms),
    fc.integer({ min: -400, max: 400 }).map(days => NOW_MS + days * DAY_MS),
    fc.constantFrom(
      0,
      -1,
      1,
      999,
      -8.64e15,
      8.64e15,
      Date.UTC(2026, 10, 1) - 1,
      Date.UTC(2038, 0, 19, 3, 14, 8),
    ),
  ),
  { minLength: 2, maxLength: 8 },
);

/** Responses that depend on the current time. */
const paths = zone.chain(name =>
  fc.constantFrom(
    `/v1/time/current?tz=${name}&format=%25c%20%25Z`,
    `/v1/time/current?tz=${name},UTC,Europe/Dublin&sign=true`,
    `/v1/time/dst?tz=${name}&next=true`,
    `/v1/time/calendar?tz=${name}&week=true`,
    `/v1/timezone?tz=${name}`,
    '/v1/timezone?offset=%2B01:00',
    '/v1/timezones?country=US',
    '/v1/time/elapsed?unix=0',
    '/v1/time/diff?from=now&to=unix=0',
  ),
);

/** An app's response with a fixed request id. */
async function responseOf(app: ReturnType<typeof createApp>, path: string): Promise<string> {
  const response = await app.handle(new Request(`http://x${path}`, { headers: { 'X-Request-Id': 'a' } }));
  return `${response.status} ${[...response.headers]} ${await response.text()}`;
}

describe('when the host clock is set', () => {
  test('back or forth, responses and signatures equal those of a freshly started server', async () => {
    await fc.assert(
      fc.asyncProperty(
        instants,
        fc.array(paths, { minLength: 1, maxLength: 3 }),
        async (steps, requested) => {
          let nowMs = 0;
          const stepped = createApp(testServer({ signing, now: () => nowMs }));
          for (const step of steps) {
            nowMs = step;
            const fresh = createApp(testServer({ signing, now: () => step }));
            for (const path of requested)
              expect(await responseOf(stepped, path)).toBe(await responseOf(fresh, path));
          }
        },
      ),
      { numRuns: 15 },
    );
  });

  test('back or forth, limits grant no more than burst, rate and quota, lock nobody out, and report sane waits', async () => {
    using folder = temporaryFolder();
    const plan = { name: 'default', rate: { perSecond: 1, burst: 5 }, monthlyQuota: 1000 };
    const { access } = control(folder.path, {
      plans: [plan],
      keys: [{ key: 'k', plan: 'default', name: 'k' }],
    });
    let nowMs = NOW_MS;
    const app = createApp(testServer({ access, now: () => nowMs }));
    const send = () => app.handle(new Request('http://x/v1/time/current', { headers: { 'X-API-Key': 'k' } }));
    for (const step of [0, 3_600_000, -7_200_000, 31 * DAY_MS, -62 * DAY_MS, 100, -100, 5 * 365 * DAY_MS]) {
      nowMs += step;
      let granted = 0;
      for (let request = 0; request < 12; request++) {
        const { status, headers } = await send();
        if (status === 200) granted++;
        else expect(status).toBe(429);
        const waits = [...headers.get('RateLimit')!.matchAll(/t=(-?\d+)/g)].map(([, seconds]) =>
          Number(seconds),
        );
        for (const seconds of waits) expect(seconds).toBeWithin(1, 31 * 86_400 + 1);
        if (status === 429) expect(headers.get('Retry-After')).toBe('1');
      }
      expect(granted).toBeLessThanOrEqual(5);
      nowMs += 1000; // one second later there is room for one again, whatever happened before
      expect((await send()).status).toBe(200);
    }
    await access.stop();
  });
});
