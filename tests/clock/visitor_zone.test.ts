import { afterAll, expect } from 'bun:test';
import { dialLabel } from '../../src/clock/drawing/dial_label.ts';
import { lineIn } from '../../src/clock/figures/glyph_sets.ts';
import { inChromium, openPage, withBrowser } from '../support/browser.ts';
import { PageServer } from './page_server.ts';

const browser = withBrowser();
const server = new PageServer();
afterAll(() => server[Symbol.dispose]());

/** The name on a dial in the visitor's zone: its path, the start of its label, and its text. */
async function labelIn(timezoneId: string, more = '') {
  server.body = await server.fragment(`style=analog-brass&visitor=true${more}`);
  const { page, faults } = await openPage(browser(), server.url, '/page', { timezoneId });
  const label = page.locator('[data-part="label"]');
  const drawn = {
    path: await label.locator('.sc-place path').getAttribute('d'),
    box: await label.locator('.sc-place').getAttribute('viewBox'),
    name: await page.getByRole('timer').getAttribute('aria-label'),
  };
  expect(faults).toEqual([]);
  return drawn;
}

inChromium(
  "a dial has the name of the visitor's zone in one row, in narrow letters if it is long",
  async () => {
    for (const [zone, name, set] of [
      ['Asia/Tokyo', 'Tokyo', 'letters'],
      ['America/Port-au-Prince', 'Port-au-Prince', 'narrow'],
    ] as const) {
      const { viewBox, lit, tail } = lineIn(set)(name);
      const width = viewBox.split(' ')[2];
      const drawn = { path: lit + tail, box: `0 -188 ${width} 320`, name: `Time in ${name}` };
      expect(await labelIn(zone)).toEqual(drawn);
    }
  },
);

inChromium('a dial keeps the label that its page chose, in as many rows as the server drew', async () => {
  const label = 'Isla del Príncipe Eduardo';
  const { d, viewBox } = dialLabel(label, 'plain', lineIn);
  const drawn = await labelIn('Asia/Tokyo', `&label=${encodeURIComponent(label)}`);
  expect(drawn).toEqual({ path: d, box: viewBox, name: `Time in ${label}` });
});
