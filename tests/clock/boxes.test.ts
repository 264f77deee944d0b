import { afterAll, beforeAll, describe, expect } from 'bun:test';
import type { Browser } from 'playwright-core';
import { readLanguagePack } from '../../data/languages/embedded.ts';
import type { ClockConfig } from '../../src/clock/clock_config.ts';
import { STYLE_NAMES } from '../../src/clock/styles/styles.ts';
import { Moment } from '../../src/common/moment.ts';
import { Languages } from '../../src/text/language_pack.ts';
import { hasChromium, inChromium, launchChromium, openPage } from '../support/browser.ts';
import { expectNoDifferences, sample } from '../support/proof.ts';
import type { Box, Driver, FaceBoxes } from './driver.ts';
import { facesPage, SHOWN_MOMENT, serveFaces } from './faces_page.ts';

declare const driver: Driver;

/** The fonts of some machines, by family: only DejaVu; fonts with Liberation's outlines; only Roboto. */
const FONTS: readonly Readonly<Record<string, string>>[] = [
  { 'sans-serif': 'DejaVu Sans', 'system-ui': 'DejaVu Sans', serif: 'DejaVu Sans', monospace: 'DejaVu Sans' },
  { 'sans-serif': 'Arimo', 'system-ui': 'Arimo', serif: 'Tinos', monospace: 'Cousine' },
  { 'sans-serif': 'Roboto', 'system-ui': 'Roboto', serif: 'Roboto', monospace: 'Roboto' },
];

const LONG_NAME = 'Petropavlovsk-Kamchatskiy';
/** A label of the maximum length. */
const LONGEST_LABEL = `The observatory of ${LONG_NAME}, upper terrace (WGS84)`;
const German = new Languages(readLanguagePack()).namesOf('de')!;
/** A Wednesday in September, near midnight: long names and wide digits, with minutes in the offset. */
const WIDEST_MOMENT = new Moment(Date.UTC(2026, 8, 30, 18, 13, 58), 20_700, '+0545');

const CONTENTS: Readonly<Record<string, readonly [changes: Partial<ClockConfig>, moment: Moment]>> = {
  '24 hours': [{}, SHOWN_MOMENT],
  '24 hours, near midnight in September': [{}, WIDEST_MOMENT],
  '12 hours': [{ options: { hour12: true } }, WIDEST_MOMENT],
  '12 hours without seconds': [{ format: '%I:%M %p' }, SHOWN_MOMENT],
  'a long name': [{ timezone_label: LONG_NAME }, SHOWN_MOMENT],
  'a long name of words': [{ timezone_label: 'Isla del Príncipe Eduardo' }, WIDEST_MOMENT],
  'a name of seventeen letters': [{ timezone_label: 'Santa Cruz de Mar' }, WIDEST_MOMENT],
  'the longest label': [{ timezone_label: LONGEST_LABEL }, WIDEST_MOMENT],
  'a date': [{ options: { date: true } }, WIDEST_MOMENT],
  'a date in place of the time': [{ format: '%a %d %b %H:%M' }, SHOWN_MOMENT],
  'a date in German, 12 hours, a long name': [
    { timezone_label: LONG_NAME, options: { date: true, hour12: true, lang: 'de', names: German } },
    WIDEST_MOMENT,
  ],
  'a countdown': [
    { timezone_label: '1 Jan 2030, 00:00', options: { countdown_unix_ms: Date.UTC(2030, 0, 1) } },
    SHOWN_MOMENT,
  ],
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
  browsers = await Promise.all(FONTS.map(families => launchChromium(families)));
  const pages = Object.entries(CONTENTS).map(
    async ([content, [changes, moment]]) => [content, await serveFaces(facesPage(moment, changes))] as const,
  );
  servers = new Map(await Promise.all(pages));
});

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

/** Tolerance for stroke edges that fall between pixels. */
const TOLERANCE = 1;

/** The lines of a face that extend beyond it or overlap. */
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
    inChromium(`nothing overlaps or is cut off: ${content}, ${pixels} px, ${scheme}, any fonts`, async () => {
      const all = await Promise.all(browsers.map(browser => boxesIn(browser, layout)));
      const [first, ...others] = all;
      const differences = STYLE_NAMES.flatMap(style => {
        const faults = all.flatMap(faces => faultsIn(faces[style]!));
        // The minimal face uses the page's font.
        const isOfPage = style === 'digital-minimal';
        const depend =
          !isOfPage && others.some(other => !(differenceOf(first![style]!, other[style]!) <= TOLERANCE));
        return [...faults, ...(depend ? ['depends on fonts'] : [])].map(fault => `${style}: ${fault}`);
      });
      expectNoDifferences(`${content}, ${pixels} px, ${scheme}`, STYLE_NAMES.length * 3, differences);
      // Otherwise these browsers would have the same fonts.
      for (const other of others)
        expect(differenceOf(first!['digital-minimal']!, other['digital-minimal']!)).toBeGreaterThan(0);
    });
  }
});

/** The minimum cap height of a long name in pixels, by family and size; labels of 96 px dials are hidden. */
const LEAST_CAPITALS = [
  ['analog', 240, 5],
  ['analog', 600, 12.5],
  ['digital', 96, 5.5],
  ['digital', 240, 13.7],
  ['digital', 600, 34],
] as const;

inChromium('the longest label has two rows on digital faces', async () => {
  const faces = await boxesIn(browsers[0]!, { content: 'the longest label', pixels: 240, scheme: 'light' });
  const written = STYLE_NAMES.filter(name => name.startsWith('digital-') && name !== 'digital-minimal');
  const small = written.filter(style => !(faces[style]!.capitals >= 7));
  expect(small.map(style => [style, faces[style]!.capitals])).toEqual([]);
});

for (const content of ['a long name', 'a long name of words', 'a name of seventeen letters']) {
  inChromium(`${content} can be read on every face`, async () => {
    for (const [family, pixels, least] of LEAST_CAPITALS) {
      const faces = await boxesIn(browsers[0]!, { content, pixels, scheme: 'light' });
      const written = STYLE_NAMES.filter(name => name.startsWith(family) && name !== 'digital-minimal');
      const small = written.filter(style => !(faces[style]!.capitals >= least));
      expect([pixels, small.map(style => [style, faces[style]!.capitals])]).toEqual([pixels, []]);
    }
  });
}
