import { describe, expect } from 'bun:test';
import { inChromium, withPages } from '../support/browser.ts';
import { expectNoDifferences, sample } from '../support/proof.ts';
import { CHANGING } from '../support/zones.ts';

const pages = withPages();

/** Cursor positions in minutes after midnight: both sides of all changes, which are at night, up to a 22-hour day. */
const CURSORS = [0, 15, 45, 60, 105, 120, 165, 180, 225, 240, 1305];
const HALF_DAY_MS = 43_200_000;

async function get<Body>(path: string): Promise<Body> {
  const response = await fetch(pages.url + path);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Body;
}

/** The days of 2026 on which a zone's clocks change, or another day. */
async function daysOfChanges(zone: string): Promise<string[]> {
  const { transitions } = await get<{ transitions: { utc: string }[] }>(
    `/v1/time/transitions?tz=${zone}&from=2026-01-01&to=2027-01-01`,
  );
  const days = transitions.map(({ utc }) =>
    new Date(Date.parse(utc) + HALF_DAY_MS).toISOString().slice(0, 10),
  );
  return days.length > 0 ? days : ['2026-03-29'];
}

/** `2026-03-29T15:05:00+02:00` as the planner shows it in American English: `3:05 PM`. */
function shownAs(iso: string): string {
  const [hour, minute] = [Number(iso.slice(11, 13)), iso.slice(14, 16)];
  return `${hour % 12 === 0 ? 12 : hour % 12}:${minute} ${hour < 12 ? 'AM' : 'PM'}`;
}

describe('around clock changes', () => {
  for (const zone of sample(CHANGING, 3)) {
    inChromium(`the planner's script shows the API's times: ${zone}`, async () => {
      const days = await daysOfChanges(zone);
      const differences: string[] = [];
      for (const day of days) {
        const { page, faults } = await pages.open(`/planner?place=${zone}&place=Asia/Tokyo&date=${day}`);
        const { unix: midnight } = await get<{ unix: number }>(
          `/v1/time/convert?iso=${day}T00:00&source_tz=${zone}&utc=true`,
        );
        for (const cursor of CURSORS) {
          await page.locator('#plan-cursor').fill(String(cursor));
          const shown = await page.locator('.plan-time time').allTextContents();
          const api = await get<{ iso_local: string }[]>(
            `/v1/time/convert?unix=${midnight + cursor * 60}&tz=${zone},Asia/Tokyo`,
          );
          const expected = api.map(({ iso_local }) => shownAs(iso_local));
          if (shown.join() !== expected.join())
            differences.push(`${day} ${cursor}: ${shown.join()} is not ${expected.join()}`);
        }
        expect(faults).toEqual([]);
        await page.close();
      }
      expectNoDifferences(`planner in ${zone}`, days.length * CURSORS.length * 2, differences);
    });
  }
});
