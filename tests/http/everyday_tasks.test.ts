import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { send } from '../support/service.ts';

/** The guide's page of tasks, its requests in code blocks, and their results on April 15, 2026, 17:30:47 UTC. */
const PAGE = readFileSync(join(import.meta.dir, '../../src/site/guide/deadlines.md'), 'utf8');
const TASKS = [...PAGE.matchAll(/^(.+):\n\n```text\n(.+)\n```$/gm)].map(([, task, request]) => ({
  task: task!,
  request: request!,
}));

/** Keyed by the first words of the task. */
const RESPONSES: Readonly<Record<string, object>> = {
  'Three business days': { iso_local: '2026-04-20T19:30:47+02:00' },
  'A response is due': { iso_local: '2026-04-16T17:00:00+02:00' },
  'How many working hours': { work_hours: 28, business_days: 3 },
  'Whether the New York office': {
    open: true,
    since: { iso_local: '2026-04-15T09:00:00-04:00' },
    until: { iso_local: '2026-04-15T17:00:00-04:00' },
  },
  'When a Sunday cron job': { occurrences: [{ iso_local: '2026-04-19T00:30:00-04:00' }] },
  "A team's meetings": {
    // Not on December 25.
    occurrences: [
      ...['01-30T12:00:00+01', '02-27T12:00:00+01', '03-27T12:00:00+01', '04-24T12:00:00+02'],
      ...['05-29T12:00:00+02', '06-26T12:00:00+02', '07-31T12:00:00+02', '08-28T12:00:00+02'],
      ...['09-25T12:00:00+02', '10-30T12:00:00+01', '11-27T12:00:00+01'],
    ].map(time => ({ iso_local: `2026-${time}:00` })),
  },
  "Someone's age": { calendar: { years: 35, months: 10, days: 29 }, direction: 'passed' },
  'A notice period': { iso_local: '2027-02-28T17:00:00+01:00' },
  'The due date': { utc: '2026-12-28T00:00:00Z', day_full: 'Monday' },
  'The last business day': { utc: '2026-05-29T00:00:00Z', day_full: 'Friday' },
  Settlement: { utc: '2026-07-06T00:00:00Z' },
  'Working days': {
    months: expect.arrayContaining([{ month: '2026-12', business: 22, weekend: 8, holiday: 1, worked: 0 }]),
  },
};

test('the page has at least ten tasks, one per code block', () => {
  expect(TASKS.length).toBeGreaterThanOrEqual(10);
  expect(TASKS.length).toBe(PAGE.match(/^```text$/gm)!.length);
});

test.each(TASKS)('$task', async ({ task, request }) => {
  const [, expected] = Object.entries(RESPONSES).find(([beginning]) => task.startsWith(beginning))!;
  const { status, body } = await send(request);
  expect(status).toBe(200);
  expect(body).toMatchObject(expected);
});
