import { afterAll, beforeAll, describe, expect } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ASSET_PATHS } from '../../src/clock/clock_config.ts';
import { clockFragment } from '../../src/clock/fragment.tsx';
import {
  completePalette,
  contrastOf,
  MIN_CONTRAST,
  MIN_INK_CONTRAST,
  type Palette,
} from '../../src/clock/palette.ts';
import { STYLE_NAMES } from '../../src/clock/styles/styles.ts';
import { Moment } from '../../src/common/moment.ts';
import { inChromium, openPage, type WatchedPage, withBrowser } from '../support/browser.ts';
import { expectNoDifferences, IS_PROOF, runs, sample, sampleNumbers } from '../support/proof.ts';
import type { Driver, ReadTime } from './driver.ts';
import { configOf, facesPage, SHOWN_MOMENT, serveFaces } from './faces_page.ts';
import { HOSTILE_TEXTS } from './hostile_markup.ts';

/** Where a proof saves its pictures. */
const PICTURES = join(import.meta.dir, '..', '..', 'dist', 'clocks');

const DIGITAL = STYLE_NAMES.filter(name => name.startsWith('digital-'));

declare const driver: Driver;

const browser = withBrowser();
let server: Bun.Server<undefined>;

beforeAll(async () => {
  server = await serveFaces(facesPage());
});

afterAll(() => server.stop(true));

const open = () => openPage(browser(), server.url.origin, '/');

/** Opens the page, and all its faces. */
async function openFaces(): Promise<WatchedPage> {
  const opened = await open();
  await opened.page.evaluate(() => driver.open());
  return opened;
}

/** Every digit in every position, the limits of the day and the hour, half hours and quarters, and offsets of all kinds. */
const MOMENTS = [
  new Moment(Date.UTC(2026, 0, 1, 0, 0, 0), 0, 'UTC'),
  new Moment(Date.UTC(2026, 1, 28, 23, 59, 59), 0, 'UTC'),
  new Moment(Date.UTC(2026, 2, 8, 7, 34, 12), -4 * 3600, 'EDT'),
  new Moment(Date.UTC(2026, 10, 21, 22, 15, 8), 20_700, '+0545'),
  new Moment(Date.UTC(2031, 5, 7, 3, 26, 47), -34_200, '-0930'),
  new Moment(Date.UTC(2026, 7, 30, 12, 51, 30), 50_400, '+14'),
  new Moment(Date.UTC(1969, 6, 20, 20, 17, 40), -18_000, 'CDT'),
];

/** The readable time on a face at a moment: hands do not show a.m. and p.m., and on station clocks the second hand waits at the top. */
function saidBy(style: string, { hour, minute, second }: Moment): ReadTime {
  if (!style.startsWith('analog-')) return { hour, minute, second };
  return { hour: hour % 12, minute, second: style === 'analog-station' && second === 59 ? 0 : second };
}

async function expectContrast(page: Page, styles: readonly string[]): Promise<void> {
  await page.evaluate(() => driver.resize(480));
  for (const style of styles) {
    const line = page.locator(`[data-style="${style}"] .sc-time`).first();
    const picture = (await line.screenshot()).toString('base64');
    const contrast = await page.evaluate(png => driver.contrastOf(png), picture);
    if (contrast < 4.5) throw new Error(`${style}: ${contrast.toFixed(2)} to 1`);
  }
}

describe('in a browser, under a strict policy', () => {
  inChromium('each face shows its moment before any script runs', async () => {
    const { page, faults } = await open();
    const read = await page.evaluate(() => driver.read());
    expect(Object.keys(read)).toEqual([...STYLE_NAMES]);
    for (const style of STYLE_NAMES)
      expect([style, read[style]!]).toEqual([style, saidBy(style, SHOWN_MOMENT)]);
    expect(faults).toEqual([]);
  });

  inChromium('each open face shows every given moment, and nothing shifts', async () => {
    const { page, faults } = await open();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.evaluate(() => driver.open());
    for (const moment of MOMENTS) {
      await page.evaluate(
        ([epochMs, offsetSeconds, abbreviation]) => driver.show(epochMs, offsetSeconds, abbreviation),
        [moment.epochMs, moment.offsetSeconds, moment.abbreviation] as const,
      );
      const read = await page.evaluate(() => driver.read());
      for (const style of STYLE_NAMES) expect([style, read[style]!]).toEqual([style, saidBy(style, moment)]);
    }
    expect(await page.evaluate(() => driver.shifts())).toEqual([]);
    expect(faults).toEqual([]);
  });

  inChromium("fragments are built as by the browser's HTML parser", async () => {
    const { page } = await open();
    // HTML parsers drop NUL characters.
    const texts = ['\u65e5\u{1f550} %A', ...HOSTILE_TEXTS].map(text => text.replaceAll('\0', ''));
    const configs = STYLE_NAMES.flatMap(style => [
      configOf(style),
      ...texts.map(text => configOf(style, { format: text, timezone_label: text })),
    ]);
    const fragments = configs.map(config =>
      clockFragment(config, SHOWN_MOMENT, 'service-clock-1', ASSET_PATHS),
    );
    const differing = await page.evaluate(
      all => all.filter(fragment => !driver.buildsLikeHtml(fragment)),
      fragments,
    );
    expect(differing).toEqual([]);
  });

  inChromium('flaps have finished turning after their time', async () => {
    const { page } = await openFaces();
    const moment = MOMENTS[1]!;
    const turning = await page.evaluate(epochMs => {
      driver.show(epochMs, 0, 'UTC');
      return document.querySelectorAll('.sc-card > b:nth-child(4)').length;
    }, moment.epochMs);
    expect(turning).toBe(5);
    await page.waitForFunction(() => driver.read()['digital-split-flap']!.hour === 23);
    expect(await page.locator('.sc-card > b').count()).toBe(12);
  });

  inChromium('the lines of a departure board flip at the full minute, one after the other', async () => {
    const { page } = await openFaces();
    /** When each turning line is seen edge-on, in milliseconds since the second began, and its height then. */
    const turnsAt = (epochMs: number) =>
      page.evaluate(shownMs => {
        driver.show(shownMs, 0, 'UTC');
        return [...document.querySelectorAll('.sc-departure')].flatMap(line =>
          line.getAnimations().map(turn => {
            const { delay, activeDuration } = turn.effect!.getComputedTiming() as {
              delay: number;
              activeDuration: number;
            };
            turn.pause();
            turn.currentTime = delay + activeDuration / 2;
            return [turn.currentTime, Math.round(line.getBoundingClientRect().height)];
          }),
        );
      }, epochMs);
    const minuteMs = Date.UTC(2026, 2, 8, 7, 35);
    expect(await turnsAt(minuteMs - 2000)).toEqual([]);
    expect(await turnsAt(minuteMs - 1000)).toEqual([
      [1000, 0],
      [1150, 0],
      [1300, 0],
    ]);
    expect(await turnsAt(minuteMs + 1000)).toEqual([]);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await turnsAt(minuteMs - 1000)).toEqual([]);
  });

  inChromium('hands start and stop sweeping with the motion preference', async () => {
    const { page } = await openFaces();
    const glidingAfter = async (reducedMotion: 'reduce' | 'no-preference') => {
      await page.emulateMedia({ reducedMotion });
      return page.evaluate(epochMs => {
        driver.show(epochMs, 0, 'UTC');
        return document
          .querySelectorAll('.sc-turned')
          .values()
          .flatMap(box => box.getAnimations())
          .toArray().length;
      }, MOMENTS[1]!.epochMs);
    };
    expect(await glidingAfter('no-preference')).toBe(5);
    expect(await glidingAfter('reduce')).toBe(0);
    expect(await glidingAfter('no-preference')).toBe(5);
  });

  for (const [ground, ink] of [
    ['#2b1748', '#f3e9ff'],
    ['#ffe9d6', '#7a1f3d'],
  ] as const) {
    inChromium(`the digits of digital faces stand out, in ${ink} on ${ground}`, async () => {
      const { page } = await open();
      await page.evaluate(
        ([ground, ink]) => {
          document.documentElement.style.setProperty('--service-clock-ground', ground);
          document.documentElement.style.setProperty('--service-clock-ink', ink);
        },
        [ground, ink] as const,
      );
      // A page that sets the ink colour of clocks gives the minimal one its own background.
      await expectContrast(
        page,
        sample(
          DIGITAL.filter(style => style !== 'digital-minimal'),
          4,
        ),
      );
    });
  }

  for (const scheme of ['light', 'dark'] as const) {
    inChromium(`digits of digital faces stand out from their background, on a ${scheme} page`, async () => {
      const { page } = await open();
      await page.emulateMedia({ colorScheme: scheme });
      await expectContrast(page, sample(DIGITAL, 6));
    });

    inChromium(`all faces have their width at three sizes, on a ${scheme} page`, async () => {
      mkdirSync(PICTURES, { recursive: true });
      const { page } = await open();
      await page.emulateMedia({ colorScheme: scheme });
      for (const size of [96, 240, 480]) {
        await page.setViewportSize({ width: Math.min(size * 8 + 120, 3000), height: 600 });
        await page.evaluate(pixels => driver.resize(pixels), size);
        const boxes = await page.locator('.service-clock').evaluateAll(clocks =>
          clocks.map(clock => ({
            style: clock.getAttribute('data-style')!,
            width: clock.getBoundingClientRect().width,
          })),
        );
        for (const { style, width } of boxes) {
          if (style === 'digital-minimal') continue;
          const sizes = style.startsWith('analog-') ? 1 : style === 'digital-monolith' ? 0.8 : 2;
          expect([style, Math.round(width)]).toEqual([style, Math.round(size * sizes)]);
        }
        await page.evaluate(() => driver.shifts());
        if (IS_PROOF)
          await page.screenshot({ path: join(PICTURES, `${scheme}-${size}.png`), fullPage: true });
      }
    });
  }
});

/** The number of palettes per test; a proof has several tests. */
const COUNT = 12;
const random = sampleNumbers();

/** A palette as a request may set it, completed. */
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

for (let part = 1; part <= runs(1, 30); part++) {
  inChromium(
    `all readable parts contrast with their background, in the styles' colours and others (${part})`,
    async () => {
      const { page } = await open();
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
    },
  );
}
