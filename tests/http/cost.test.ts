import { expect, test } from 'bun:test';
import { Moment } from '../../src/common/moment.ts';
import { compileStrftime } from '../../src/text/strftime.ts';
import { app, ask } from './service.ts';

const OFFSETS = Array.from(
  { length: 100 },
  (_, index) => `-00:${String(index % 60).padStart(2, '0')}`,
).join();

/** How often other tasks got a turn while a request was handled. */
async function turnsDuring(path: string): Promise<number> {
  let turns = 0;
  let timer = setImmediate(function next() {
    turns++;
    timer = setImmediate(next);
  });
  const response = await app.handle(new Request(`http://localhost${path}`));
  clearImmediate(timer);
  expect(response.status).toBe(200);
  return turns;
}

test('a long list is written in slices, between which other requests are served', async () => {
  const format = encodeURIComponent('%c'.repeat(128));
  for (const path of [
    `/v1/time/current?offset=${OFFSETS}&format=${format}`,
    `/v1/time/convert?unix=0&offset=${OFFSETS}&format=${format}`,
  ]) {
    expect(await turnsDuring(path)).toBeGreaterThanOrEqual(4);
  }
  expect(await turnsDuring('/v1/recurrence?cron=* * * * *&count=1000')).toBeGreaterThanOrEqual(4);
  expect(await turnsDuring('/v1/timezones?details=true')).toBeGreaterThanOrEqual(2);
});

test('slices make up the whole response, in its order', async () => {
  const { body } = await ask(`/v1/time/current?offset=${OFFSETS}&format=${'%25c'.repeat(60)}`);
  const shown = body.map(({ iso_local }: { iso_local: string }) => iso_local.slice(-6));
  expect(shown).toEqual(OFFSETS.replaceAll('-00:00', '+00:00').split(','));
});

test('a directive that a pattern repeats is written once for each moment', () => {
  let reads = 0;
  const counted = (epochMs: number) =>
    new Proxy(new Moment(epochMs, 0, 'UTC'), {
      get(moment, name) {
        if (name === 'weekday') reads++;
        return Reflect.get(moment, name);
      },
    });
  for (const directive of ['%A', '%c', '%^30a']) {
    reads = 0;
    const strftime = compileStrftime(directive.repeat(50), 'format');
    const [first, second] = [strftime.format(counted(0)), strftime.format(counted(86_400_000))];
    expect(reads).toBe(2);
    expect(first).not.toBe(second);
  }
});

test('a flood of malformed parameters is not decoded', async () => {
  for (const query of ['tz=%FF&'.repeat(1000), '%FF&'.repeat(2000)]) {
    const decode = globalThis.decodeURIComponent;
    let calls = 0;
    globalThis.decodeURIComponent = text => {
      calls++;
      return decode(text);
    };
    try {
      await app.handle(new Request(`http://localhost/v1/time/current?${query}`));
    } finally {
      globalThis.decodeURIComponent = decode;
    }
    expect(calls).toBeLessThanOrEqual(20);
  }
});
