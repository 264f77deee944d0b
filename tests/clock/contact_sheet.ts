import { join } from 'node:path';
import { STYLE_NAMES } from '../../src/clock/styles/styles.ts';
import { Moment } from '../../src/common/moment.ts';
import { launchChromium } from '../support/browser.ts';
import { bundled, configOf, hosted, SHOWN_MOMENT } from './faces_page.ts';

/** Generates the picture of all faces in the README. */

const PICTURE = join(import.meta.dir, 'contact_sheet.png');

/** Places, and their UTC offsets in hours at the moment shown. */
const PLACES = [
  ['Europe/Zurich', 2, 'CEST'],
  ['Asia/Tokyo', 9, 'JST'],
  ['America/New_York', -4, 'EDT'],
  ['Africa/Nairobi', 3, 'EAT'],
  ['America/Sao_Paulo', -3, '-03'],
  ['Asia/Kolkata', 5.5, 'IST'],
  ['Australia/Sydney', 10, 'AEST'],
] as const;

async function main(): Promise<void> {
  const css = await bundled('src/clock/clock.css');
  const frame = await Bun.file(join(import.meta.dir, 'contact_sheet.css')).text();
  const figures = STYLE_NAMES.map((style, index) => {
    const [zone, hours, abbreviation] = PLACES[index % PLACES.length]!;
    const timezone_label = zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');
    // Each shows ten past ten local time.
    const localMs = SHOWN_MOMENT.epochMs + SHOWN_MOMENT.offsetSeconds * 1000;
    const moment = new Moment(localMs - hours * 3_600_000, hours * 3600, abbreviation);
    const clock = hosted(configOf(style, { timezone_label }), moment, `c${index}`);
    return `<figure>${clock}<figcaption>${style}</figcaption></figure>`;
  });
  const browser = await launchChromium();
  const page = await browser.newPage({ viewport: { width: 960, height: 900 } });
  await page.setContent(
    `<meta charset="utf-8"><style>${css}${frame}</style><main>${figures.join('')}</main>`,
  );
  await page.screenshot({ path: PICTURE, fullPage: true });
  await browser.close();
  console.log(`${PICTURE}: ${Math.ceil(Bun.file(PICTURE).size / 1000)} kB`);
}

await main();
