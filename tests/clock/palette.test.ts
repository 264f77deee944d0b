import { afterAll, beforeAll, expect } from 'bun:test';
import type { Browser } from 'playwright-core';
import type { Palette } from '../../src/clock/clock_config.ts';
import { completePalette, contrastOf, MIN_CONTRAST, MIN_INK_CONTRAST } from '../../src/clock/palette.ts';
import { BROWSER_TIMEOUT_MS, hasChromium, inChromium, launchChromium, openPage } from '../binary/chromium.ts';
import { expectNoDifferences, runs, sampleNumbers } from '../proof.ts';
import type { Driver } from './driver.ts';
import { facesPage, serveFaces } from './faces_page.ts';

declare const driver: Driver;

let browser: Browser;
let server: Bun.Server<undefined>;

beforeAll(async () => {
  if (!hasChromium) return;
  server = await serveFaces(facesPage());
  browser = await launchChromium();
}, BROWSER_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await server?.stop(true);
});

/** How many palettes a test draws; a proof has several tests. */
const COUNT = 30;
const random = sampleNumbers();

/** A palette as a request may choose it, completed. */
function newPalette(): Palette {
  const colour = () =>
    `#${Math.floor(random() * 0x1000000)
      .toString(16)
      .padStart(6, '0')}`;
  const [ground, ink, kind] = [colour(), colour(), random()];
  if (kind < 0.25) return completePalette({ ink });
  const isFaint = contrastOf(ground, ink) < MIN_INK_CONTRAST;
  return completePalette(kind < 0.5 || isFaint ? { ground } : { ground, ink });
}

for (let part = 1; part <= runs(1, 12); part++) {
  inChromium(
    `all that is read stands out from its ground, in the colours of styles and others (${part})`,
    async () => {
      const { page } = await openPage(browser, server.url.href.slice(0, -1), '/');
      const palettes = [{}, ...Array.from({ length: COUNT }, newPalette)];
      const faint: string[] = [];
      let comparisons = 0;
      for (const palette of palettes) {
        const contrasts = await page.evaluate(chosen => driver.paintContrasts(chosen), palette);
        for (const [style, parts] of Object.entries(contrasts)) {
          for (const [part, contrast] of Object.entries(parts)) {
            comparisons++;
            const isFaint = !(contrast >= MIN_CONTRAST);
            if (isFaint) faint.push(`${style} ${part}: ${contrast.toFixed(2)} in ${JSON.stringify(palette)}`);
          }
        }
      }
      expectNoDifferences('contrast of faces in colours of pages', comparisons, faint);
      expect(comparisons).toBeGreaterThan(palettes.length * 100);
      await page.close();
    },
  );
}
