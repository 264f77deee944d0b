import { expect, test } from 'bun:test';
import { mergeMetrics, metricsText, Traffic } from '../../src/http/metrics.ts';
import { renderedMetrics } from '../../src/server/metrics.ts';

/** The value of a series in the text format, as a scraper reads it. */
function seriesValue(text: string, series: string): number | undefined {
  const line = text.split('\n').find(candidate => candidate.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

function trafficOf(...responses: readonly (readonly [status: number, durationNs: number])[]): Traffic {
  const traffic = new Traffic();
  const meter = traffic.meter('/v1/time/current');
  for (const [status, durationNs] of responses) meter.count(status, durationNs);
  return traffic;
}

test('responses are counted by route and status', () => {
  const text = metricsText(trafficOf([200, 1], [200, 1], [404, 1]).families());
  const series = (status: number) =>
    `meridian_http_requests_total{route="/v1/time/current",status="${status}"}`;
  expect(seriesValue(text, series(200))).toBe(2);
  expect(seriesValue(text, series(404))).toBe(1);
  expect(seriesValue(text, series(500))).toBeUndefined();
});

test('histogram buckets are cumulative, include their bound, and the last one has everything', () => {
  const text = metricsText(trafficOf([200, 10_000], [200, 10_001], [200, 5e9]).families());
  const name = 'meridian_http_request_duration_seconds';
  const bucket = (le: string) => seriesValue(text, `${name}_bucket{route="/v1/time/current",le="${le}"}`);
  expect([bucket('0.00001'), bucket('0.000025'), bucket('1'), bucket('+Inf')]).toEqual([1, 2, 2, 3]);
  expect(seriesValue(text, `${name}_count{route="/v1/time/current"}`)).toBe(3);
  expect(seriesValue(text, `${name}_sum{route="/v1/time/current"}`)).toBeCloseTo(5.000_020_001, 9);
});

test('a route without responses has no series, and no family is empty', () => {
  expect(metricsText(new Traffic().families())).toBe('');
});

test('label values and help texts are escaped', () => {
  const text = metricsText([
    {
      name: 'meridian_x',
      help: 'one\ntwo \\',
      type: 'gauge',
      across: 'max',
      samples: [{ labels: { zone: 'a"b\\c\nd' }, value: 1 }],
    },
  ]);
  expect(text).toBe(
    '# HELP meridian_x one\\ntwo \\\\\n# TYPE meridian_x gauge\nmeridian_x{zone="a\\"b\\\\c\\nd"} 1\n',
  );
});

test("workers' metrics are summed, reduced to the extreme, or listed per worker", () => {
  const families = (value: number) =>
    (['sum', 'max', 'min', 'worker'] as const).map(across => ({
      name: `meridian_${across}`,
      help: across,
      type: 'gauge' as const,
      across,
      samples: [{ labels: { route: '/' }, value }],
    }));
  const text = metricsText(mergeMetrics(new Map([1, 2].map(worker => [worker, families(worker * 10)]))));
  expect(seriesValue(text, 'meridian_sum{route="/"}')).toBe(30);
  expect(seriesValue(text, 'meridian_max{route="/"}')).toBe(20);
  expect(seriesValue(text, 'meridian_min{route="/"}')).toBe(10);
  expect(seriesValue(text, 'meridian_worker{worker="2",route="/"}')).toBe(20);
});

test('histograms of workers add up bucket by bucket', () => {
  const one = trafficOf([200, 20_000]);
  const two = trafficOf([200, 2_000], [500, 20_000]);
  const all = trafficOf([200, 20_000], [200, 2_000], [500, 20_000]);
  const merged = mergeMetrics(
    new Map([
      [1, one.families()],
      [2, two.families()],
    ]),
  );
  const counts = (text: string) => text.split('\n').filter(line => /_(bucket|count|total)\{/.test(line));
  expect(counts(metricsText(merged)).sort()).toEqual(counts(metricsText(all.families())).sort());
  expect(counts(metricsText(merged)).length).toBeGreaterThan(10);
});

test('metrics are rendered at most once a second, however often they are requested', async () => {
  let gathered = 0;
  const render = renderedMetrics(() => {
    gathered += 1;
    return Promise.resolve(trafficOf([200, gathered]).families());
  });
  const texts = await Promise.all(Array.from({ length: 50 }, () => render()));
  expect(texts[0]).toContain('meridian_http_requests_total');
  expect([new Set(texts).size, gathered]).toEqual([1, 1]);
  while (gathered === 1) await render();
  expect(await render()).not.toBe(texts[0]!);
});
