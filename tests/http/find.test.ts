import { expect, test } from 'bun:test';
import { createApp } from '../../src/server/app.ts';
import { keyedAccess, send, testServer } from '../support/service.ts';

const BY = 'Munich, DE-BY';

/** What visitors type, with or without a date, and the page it leads to. */
const FINDS: readonly (readonly [typed: string, date: string, page: string])[] = [
  ['Paris', '', '/zone/Europe/Paris?place=Paris, FR-IDF'],
  ['Perth, Scotland', '', '/zone/Europe/London?place=Perth, GB-SCT'],
  ['Bavaria', '', `/zone/Europe/Berlin?place=${BY}`],
  ['Bavaria', '2026-11-30', `/planner?place=${BY}&date=2026-11-30`],
  ['new york', '', '/zone/America/New_York?place=New York, US-NY'],
  [
    'Berlin, New York, Tokyo',
    '2026-12-01',
    '/planner?place=Berlin, DE-BE&place=New York, US-NY&place=Tokyo, JP-13&date=2026-12-01',
  ],
  ['Berlin and Perth, Scotland', '', '/planner?place=Berlin, DE-BE&place=Perth, GB-SCT'],
  ['Paris, Texas; Paris', '', '/planner?place=Paris, US-TX&place=Paris, FR-IDF'],
  ['Nowhereville', '', '/planner?place=Nowhereville'],
  ['48.8566, 2.3522', '', '/zone/Europe/Paris'],
  ['-33.9 18.4', '2026-11-30', '/zone/Africa/Johannesburg'],
  ['91, 0', '', '/map'],
  ['asia/tokyo', '', '/zone/Asia/Tokyo'],
];

async function find(typed: string, date: string, app?: ReturnType<typeof createApp>) {
  const { status, headers } = await send(`/find?${new URLSearchParams({ q: typed, date })}`, {}, app);
  return { status, page: decodeURIComponent(headers.get('Location')!.replaceAll('+', ' ')) };
}

test.each(FINDS)('%p with the date %p leads to %p', async (typed, date, page) => {
  expect(await find(typed, date)).toEqual({ status: 303, page });
});

test('a server that requires keys looks up nothing for visitors without one', async () => {
  const keyed = createApp(testServer({ access: keyedAccess() }));
  expect((await find('Berlin; Tokyo', '', keyed)).page).toBe('/planner?place=Berlin&place=Tokyo');
  expect((await find('48.8566, 2.3522', '', keyed)).page).toBe('/map');
});

test('without scripts, the map searches through it', async () => {
  const { body } = await send('/map');
  const [, form] = /<form([^>]*data-map-search.*?)<\/form>/s.exec(body)!;
  expect(form).toContain('action="/find"');
  expect(form).toContain('name="q"');
});
