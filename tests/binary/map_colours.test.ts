import { expect } from 'bun:test';
import { contrastOf } from '../../src/clock/clock_config.ts';
import { inChromium, withPages } from '../support/browser.ts';

const pages = withPages();

/** The map's colours by day, and the overlay at night. */
interface Colours {
  readonly water: string;
  readonly lands: readonly string[];
  readonly night: string;
}

const COLOURS = `({
  water: getComputedStyle(document.querySelector('.map-frame')).backgroundColor,
  lands: [...new Set([...document.querySelectorAll('.map-zones a')].map(zone => getComputedStyle(zone).fill))],
  night: getComputedStyle(document.querySelector('[data-map-night]')).fill,
})`;

const channelsOf = (colour: string) => colour.match(/[\d.]+/g)!.map(Number);

/** A CSS colour blended over another, in hexadecimal. */
function below(over: string, colour: string): string {
  const [red = 0, green = 0, blue = 0, alpha = 1] = channelsOf(over);
  const mixed = channelsOf(colour).map(
    (channel, at) => channel * (1 - alpha) + [red, green, blue][at]! * alpha,
  );
  return `#${mixed.map(channel => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;
}

for (const colorScheme of ['light', 'dark'] as const) {
  inChromium(`on the ${colorScheme} map, land differs from water, and night from day`, async () => {
    const { page, faults } = await pages.open('/map', { colorScheme });
    const { water, lands, night } = await page.evaluate<Colours>(COLOURS);
    expect(lands).toHaveLength(5);
    const byDay = (colour: string) => below('rgb(0 0 0 / 0)', colour);
    const atNight = (colour: string) => below(night, colour);
    for (const land of lands) {
      expect(contrastOf(byDay(land), byDay(water))).toBeGreaterThan(1.2);
      expect(contrastOf(atNight(land), atNight(water))).toBeGreaterThan(1.17);
      expect(contrastOf(byDay(land), atNight(land))).toBeGreaterThan(1.5);
    }
    expect(contrastOf(byDay(water), atNight(water))).toBeGreaterThan(1.2);
    expect(faults).toEqual([]);
    await page.close();
  });
}
