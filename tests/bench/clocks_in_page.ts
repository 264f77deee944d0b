/**
 * What a page with a hundred clocks, all of them in sight, takes of a core, by Chromium's own account: the time of its
 * main thread in tasks, scripts, styles and layout. `--seconds N` measures longer. Wants Chromium.
 */
import { parseArgs } from 'node:util';
import type { CDPSession } from 'playwright-core';
import { STYLE_NAMES } from '../../src/clock/style_names.ts';
import { launchChromium } from '../binary/chromium.ts';
import { PageServer } from '../clock/page_server.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '10' } } });
const COUNT = 100;
const NAMES = ['TaskDuration', 'ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration'] as const;

using server = new PageServer();
const browser = await launchChromium();
for (const [what, styles] of [
  ['all styles in turns', STYLE_NAMES],
  ['digital-minimal', ['digital-minimal']],
  ['analog-station', ['analog-station']],
] as const) {
  const queries = Array.from(
    { length: COUNT },
    (_, index) => `style=${styles[index % styles.length]}&tz=Europe/Paris`,
  );
  server.body = (await Promise.all(queries.map(query => server.fragment(query)))).join('');
  server.stylesheet = '.service-clock-host { display: inline-block; --service-clock-size: 96px }';
  const page = await browser.newPage({ viewport: { width: 1920, height: 1400 } });
  await page.goto(`${server.url}/page`);
  await page.waitForTimeout(2000);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  const before = await durations(devtools);
  await page.waitForTimeout(Number(values.seconds) * 1000);
  const after = await durations(devtools);
  const shares = NAMES.map((name, index) => {
    const share = (after[index]! - before[index]!) / Number(values.seconds);
    return `${name.replace('Duration', '')} ${(share * 100).toFixed(2)} %`;
  });
  console.log(`${COUNT} clocks, ${what}: ${shares.join(', ')} of a core`);
  await page.close();
}
await browser.close();

/** Seconds since the page was opened. */
async function durations(devtools: CDPSession): Promise<number[]> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return NAMES.map(name => metrics.find(metric => metric.name === name)!.value);
}
