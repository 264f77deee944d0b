import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { inChromium, withPages } from '../support/browser.ts';

const pages = withPages();

interface Edges {
  readonly left: number;
  readonly right: number;
  readonly top: number;
}

/** The boxes of the visible elements that match a selector, in page order. */
async function boxesOf(path: string, width: number, selector: string): Promise<Edges[]> {
  const { page } = await pages.open(path, { viewport: { width, height: 900 } });
  const boxes = (await page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})]
    .filter(element => element.checkVisibility({ visibilityProperty: true }))
    .map(element => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const { left, right, top } = range.getBoundingClientRect();
      return { left, right, top: Math.round(top) };
    })`)) as Edges[];
  await page.close();
  return boxes;
}

interface ControlBox extends Edges {
  readonly bottom: number;
  readonly name: string;
  /** Whether its text overflows. */
  readonly isCut: boolean;
}

/** The boxes of visible elements. */
async function visibleBoxes(page: Page, selector: string): Promise<ControlBox[]> {
  return await page.evaluate<ControlBox[]>(`[...document.querySelectorAll(${JSON.stringify(selector)})]
    .filter(element => element.checkVisibility({ visibilityProperty: true }))
    .map(element => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const isCut = element.scrollWidth > element.clientWidth + 1;
      return { left, right, top, bottom, name: element.id || element.textContent, isCut };
    })`);
}

function overlaps(one: ControlBox, other: ControlBox): boolean {
  const isBeside = one.right <= other.left + 0.5 || other.right <= one.left + 0.5;
  return !isBeside && one.top < other.bottom - 0.5 && other.top < one.bottom - 0.5;
}

inChromium('the list of tasks scrolls next to the form, and keeps the current task visible', async () => {
  const { page } = await pages.open('/', { viewport: { width: 1440, height: 900 } });
  const tasks = page.locator('.playground-routes');
  expect((await tasks.boundingBox())!.height).toBeLessThanOrEqual(900);
  const last = tasks.locator('a').last();
  await last.focus();
  const [list, task] = [(await tasks.boundingBox())!, (await last.boundingBox())!];
  expect(task.y + task.height).toBeLessThanOrEqual(list.y + list.height);
  await page.close();
});

inChromium("the planner's hours and the dates between them do not touch", async () => {
  const plan = '/planner?place=Berlin&place=New+York&place=Tokyo&place=Kathmandu&date=2026-11-23';
  for (const width of [390, 768, 1440]) {
    const labels = await boxesOf(plan, width, '.strip-hours li > *');
    expect(labels.length).toBeGreaterThan(20);
    const touching = labels.filter(({ left, top }, index) => {
      const before = labels[index - 1];
      return before !== undefined && before.top === top && before.right > left - 1;
    });
    expect({ width, touching }).toEqual({ width, touching: [] });
  }
});

inChromium("nothing in the planner's form overlaps or is cut off", async () => {
  const controls = '#plan-form :is(label, input, select, button)';
  for (const width of [390, 768, 1440]) {
    const { page } = await pages.open('/planner?place=Berlin&place=Sao+Paulo&date=2026-11-24', {
      viewport: { width, height: 900 },
    });
    const boxes = await visibleBoxes(page, controls);
    expect(boxes.length).toBeGreaterThan(5);
    const cut = boxes.filter(({ left, right, isCut }) => left < 0 || right > width || isCut);
    expect({ width, cut }).toEqual({ width, cut: [] });
    const overlapping = boxes.filter((box, index) =>
      boxes.slice(0, index).some(other => overlaps(box, other)),
    );
    expect({ width, overlapping }).toEqual({ width, overlapping: [] });
    await page.close();
  }
});

inChromium("the gallery's ten dials are in two rows, and digital faces are aligned", async () => {
  const rows = async (selector: string) => {
    const tops = (await boxesOf('/clocks', 1440, selector)).map(({ top }) => top);
    return Map.groupBy(tops, top => top)
      .values()
      .map(group => group.length)
      .toArray();
  };
  expect(await rows('.analog-gallery figcaption')).toEqual([5, 5]);
  expect((await rows('.digital-gallery figcaption')).slice(0, 6)).toEqual([3, 3, 3, 3, 3, 3]);
});

inChromium("on a phone the map's search has a row for the place and one for coordinates", async () => {
  const tops = (await boxesOf('/map', 390, '.map-search label')).map(({ top }) => top);
  expect(tops.length).toBe(3);
  expect([tops[0] === tops[1], tops[1] === tops[2]]).toEqual([false, true]);
});
