import { afterAll, beforeAll, describe, expect } from 'bun:test';
import type { Browser } from 'playwright-core';
import type { ClockConfig } from '../../src/clock/clock_config.ts';
import { STYLE_NAMES } from '../../src/clock/styles/styles.ts';
import { BROWSER_TIMEOUT_MS, hasChromium, inChromium, launchChromium, openPage } from '../binary/chromium.ts';
import { sample } from '../proof.ts';
import type { Box, Driver, FaceBoxes } from './driver.ts';
import { facesPage, SHOWN_MOMENT, serveFaces } from './faces_page.ts';

declare const driver: Driver;

/** Fonts for all families: those of most machines, wide ones, and narrow ones. */
const FONTS = ['Arimo', 'Cousine', 'Archivo Narrow'];
const FAMILIES = ['sans-serif', 'system-ui', 'serif', 'monospace'];

const CONTENTS: Readonly<Record<string, Partial<ClockConfig>>> = {
  '24 hours': {},
  '12 hours': { format: '%I:%M:%S %p' },
  'a long name': { timezone_label: 'Petropavlovsk-Kamchatskiy' },
  'a date': { format: '%a %d %b %H:%M' },
};

interface Layout {
  readonly content: string;
  readonly pixels: number;
  readonly scheme: 'light' | 'dark';
}

const LAYOUTS: readonly Layout[] = Object.keys(CONTENTS).flatMap(content =>
  [96, 240, 600].flatMap(pixels => (['light', 'dark'] as const).map(scheme => ({ content, pixels, scheme }))),
);

let browsers: Browser[] = [];
let servers: ReadonlyMap<string, Bun.Server<undefined>>;

beforeAll(async () => {
  if (!hasChromium) return;
  browsers = await Promise.all(
    FONTS.map(font => launchChromium(Object.fromEntries(FAMILIES.map(family => [family, font])))),
  );
  const pages = Object.entries(CONTENTS).map(
    async ([content, changes]) => [content, await serveFaces(facesPage(SHOWN_MOMENT, changes))] as const,
  );
  servers = new Map(await Promise.all(pages));
}, BROWSER_TIMEOUT_MS);

afterAll(async () => {
  await Promise.all(browsers.map(browser => browser.close()));
  await Promise.all([...(servers?.values() ?? [])].map(server => server.stop(true)));
});

async function boxesIn(browser: Browser, layout: Layout): Promise<Record<string, FaceBoxes>> {
  const { page } = await openPage(browser, servers.get(layout.content)!.url.href.slice(0, -1), '/');
  await page.emulateMedia({ colorScheme: layout.scheme });
  const boxes = await page.evaluate(pixels => {
    driver.resize(pixels);
    return driver.boxes();
  }, layout.pixels);
  await page.close();
  return boxes;
}

/** A pixel, for edges of strokes that are between two. */
const TOLERANCE = 1;

/** The lines of a face that leave it or overlap each other. */
function faultsIn({ width, height, lines }: FaceBoxes): string[] {
  const named = Object.entries(lines);
  const cut = named.flatMap(([name, { left, top, right, bottom }]) => {
    const isInside =
      left >= -TOLERANCE && top >= -TOLERANCE && right <= width + TOLERANCE && bottom <= height + TOLERANCE;
    return isInside ? [] : [`${name} is cut`];
  });
  const overlaps = named.flatMap(([name, box], index) =>
    named
      .slice(index + 1)
      .flatMap(([other, theirs]) => (doOverlap(box, theirs) ? [`${name} is over ${other}`] : [])),
  );
  return [...cut, ...overlaps];
}

function doOverlap(one: Box, other: Box): boolean {
  const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return across > TOLERANCE && down > TOLERANCE;
}

function differenceOf(one: FaceBoxes, other: FaceBoxes): number {
  const edges = ({ lines }: FaceBoxes) => Object.values(lines).flatMap(box => Object.values(box) as number[]);
  const [ours, theirs] = [edges(one), edges(other)];
  return Math.max(...ours.map((edge, at) => Math.abs(edge - (theirs[at] ?? Number.NaN))));
}

describe('whatever a face shows', () => {
  for (const layout of sample(LAYOUTS, 4)) {
    const { content, pixels, scheme } = layout;
    inChromium(
      `nothing overlaps or is cut: ${content}, ${pixels} px, ${scheme}, with any fonts`,
      async () => {
        const [first, ...others] = await Promise.all(browsers.map(browser => boxesIn(browser, layout)));
        for (const style of STYLE_NAMES) {
          if (style !== 'digital-minimal') expect([style, faultsIn(first![style]!)]).toEqual([style, []]);
          for (const other of others) {
            // Its font is that of the page.
            const isSame =
              style === 'digital-minimal' || differenceOf(first![style]!, other[style]!) <= TOLERANCE;
            expect([style, isSame]).toEqual([style, true]);
          }
        }
      },
    );
  }
});
