import { expect } from 'bun:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

/** A user's prompt, what an agent passes to the tool because of it, and what the result must contain. */
type GoldenCall = readonly [prompt: string, given: Readonly<Record<string, unknown>>, expected: object];

const BERLIN = { source_tz: 'Europe/Berlin', tz: 'Europe/Berlin' };
const UTC = { source_tz: 'UTC', tz: 'UTC' };
const LONDON = 'Europe/London';
const SAMOA = 'Pacific/Apia';
const HOURS = 'Mo-Fr 09:00-17:30; PH off';
const at = (...times: readonly string[]) => times.map(iso_local => ({ iso_local }));

/** Calls by tool; none depends on the current time. */
export const GOLDEN_CALLS: Readonly<Record<string, readonly GoldenCall[]>> = {
  calendar_date: [
    [
      'On which weekday did Apollo 11 land, in Houston?',
      { iso: '1969-07-20T20:17Z', tz: 'America/Chicago' },
      { day_full: 'Sunday', iso_local: '1969-07-20T15:17:00-05:00' },
    ],
    [
      'In which ISO week is January 1, 2027?',
      { ...UTC, iso: '2027-01-01', week: true },
      { day_full: 'Friday', week_number: 53 },
    ],
  ],
  convert_time: [
    [
      'What time is it in Kolkata at 09:00 in Paris on July 1, 2026?',
      { iso: '2026-07-01T09:00', source_tz: 'Europe/Paris', tz: 'Asia/Kolkata' },
      { iso_local: '2026-07-01T12:30:00+05:30' },
    ],
    [
      'And in Tokyo and New York?',
      { iso: '2026-07-01T09:00', source_tz: 'Europe/Paris', tz: ['Asia/Tokyo', 'America/New_York'] },
      at('2026-07-01T16:00:00+09:00', '2026-07-01T03:00:00-04:00'),
    ],
    ['When was Unix time a billion?', { unix: 1_000_000_000, tz: 'UTC' }, { utc: '2001-09-09T01:46:40Z' }],
    [
      'A meeting at 02:30 on March 29, 2026 in Berlin: when is that?',
      { ...BERLIN, iso: '2026-03-29T02:30' },
      { iso_local: '2026-03-29T03:30:00+02:00' },
    ],
  ],
  add_time: [
    [
      'What is a month after January 31, 2026, 09:00 in Paris?',
      { iso: '2026-01-31T09:00', source_tz: 'Europe/Paris', duration: 'P1M', tz: 'Europe/Paris' },
      { iso_local: '2026-02-28T09:00:00+01:00' },
    ],
    [
      'An invoice of January 1, 2026 is due in 90 days: when?',
      { ...UTC, iso: '2026-01-01', duration: 'P90D' },
      { utc: '2026-04-01T00:00:00Z', day_full: 'Wednesday' },
    ],
    [
      'What is three business days after Maundy Thursday 2026, 10:00, in Germany?',
      { ...BERLIN, iso: '2026-04-02T10:00', business_days: 3, holiday_country: 'DE' },
      { iso_local: '2026-04-09T10:00:00+02:00' },
    ],
  ],
  time_between: [
    [
      'How many business days are there from December 21, 2026 to January 11, 2027 in Bavaria?',
      { from: 'iso=2026-12-21', to: 'iso=2027-01-11', business_days: true, holiday_country: 'DE-BY' },
      { business_days: 12, days: 21 },
    ],
    [
      'How old was somebody born on May 17, 1990 on April 15, 2026?',
      { from: 'iso=1990-05-17', to: 'iso=2026-04-15', largest_unit: 'year' },
      { calendar: { years: 35, months: 10, days: 29 } },
    ],
    [
      'How long is October 25, 2026 in London?',
      { from: 'iso=2026-10-25T00:00', from_tz: LONDON, to: 'iso=2026-10-26T00:00', to_tz: LONDON },
      { hours: 25 },
    ],
    [
      'How long was it from noon on December 29 to noon on December 31, 2011 in Samoa?',
      { from: 'iso=2011-12-29T12:00', from_tz: SAMOA, to: 'iso=2011-12-31T12:00', to_tz: SAMOA },
      { hours: 24 },
    ],
  ],
  clock_changes: [
    [
      'When does New York set its clocks back in 2026?',
      { tz: 'America/New_York', from: '2026-07-01', to: '2027-01-01' },
      { transitions: [{ utc: '2026-11-01T06:00:00Z', offset_before: -240, offset_after: -300 }] },
    ],
    [
      'When did Morocco change its clocks in 2025?',
      { tz: 'Africa/Casablanca', from: '2025-01-01', to: '2026-01-01' },
      { transitions: [{ utc: '2025-02-23T02:00:00Z' }, { utc: '2025-04-06T02:00:00Z' }] },
    ],
  ],
  timezone: [
    ['Which time zone is the Eiffel Tower in?', { lat: 48.8584, lon: 2.2945 }, { timezone: 'Europe/Paris' }],
    ['And Perth in Scotland?', { place: 'Perth, GB' }, { timezone: 'Europe/London' }],
  ],
  holidays: [
    [
      'Is October 3, 2026 a holiday in Germany?',
      { country: 'DE', from: '2026-10-03', to: '2026-10-03' },
      { holidays: [{ date: '2026-10-03', name: 'Tag der Deutschen Einheit' }] },
    ],
  ],
  work_status: [
    [
      'Is an office in Munich open on Corpus Christi 2026, and when next?',
      { ...BERLIN, schedule: 'Mo-Fr 08:00-18:00; PH off', holiday_country: 'DE-BY', iso: '2026-06-04T10:00' },
      { open: false, next_open: { iso_local: '2026-06-05T08:00:00+02:00' } },
    ],
  ],
  add_work_time: [
    [
      'Eight working hours from December 23, 2026, 15:00: when is the deadline?',
      { ...BERLIN, schedule: HOURS, duration: 'PT8H', holiday_country: 'DE', iso: '2026-12-23T15:00' },
      { iso_local: '2026-12-24T14:30:00+01:00' },
    ],
  ],
  work_time_between: [
    [
      'How many working hours has the week of Whit Monday 2026 in Germany?',
      {
        schedule: 'Mo-Fr 09:00-12:00,13:00-17:30; PH off',
        from: 'iso=2026-05-25T00:00',
        from_tz: 'Europe/Berlin',
        to: 'iso=2026-06-01T00:00',
        to_tz: 'Europe/Berlin',
        holiday_country: 'DE',
        tz: 'Europe/Berlin',
      },
      { work_hours: 30 },
    ],
  ],
  occurrences: [
    [
      'When are the next three stand-ups in New York after November 25, 2026, without holidays?',
      {
        cron: '0 9 * * 1-5',
        tz: 'America/New_York',
        from: '2026-11-25',
        count: 3,
        holiday_country: 'US',
        exclude_holidays: true,
      },
      {
        occurrences: at(
          '2026-11-25T09:00:00-05:00',
          '2026-11-27T09:00:00-05:00',
          '2026-11-30T09:00:00-05:00',
        ),
      },
    ],
    [
      'When are the first three last Fridays of 2026, at 17:00 in Berlin?',
      { rrule: 'DTSTART;TZID=Europe/Berlin:20260130T170000\nRRULE:FREQ=MONTHLY;BYDAY=-1FR', count: 3 },
      {
        occurrences: at(
          '2026-01-30T17:00:00+01:00',
          '2026-02-27T17:00:00+01:00',
          '2026-03-27T17:00:00+01:00',
        ),
      },
    ],
  ],
};

/** The parsed text of a tool call's result. */
interface ToolResult {
  readonly isError: boolean;
  readonly value: unknown;
}

/** The official SDK's client, connected. */
export async function connect(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return client;
}

export async function callTool(
  client: Client,
  name: string,
  given: Readonly<Record<string, unknown>>,
): Promise<ToolResult> {
  const { content, isError } = await client.callTool({ name, arguments: given });
  const [{ text }] = content as [{ text: string }];
  return { isError: isError === true, value: JSON.parse(text) };
}

/** Lists the tools, and calls all of them with the golden calls. */
export async function expectGoldenResults(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).filter(name => !(name in GOLDEN_CALLS))).toEqual(['current_time']);
  for (const [tool, calls] of Object.entries(GOLDEN_CALLS)) {
    for (const [prompt, given, expected] of calls) {
      const { isError, value } = await callTool(client, tool, given);
      expect({ prompt, isError, value }).toMatchObject({ prompt, isError: false, value: expected });
    }
  }
  const current = await callTool(client, 'current_time', { tz: 'Asia/Tokyo' });
  expect(current).toMatchObject({ isError: false, value: { timezone: 'Asia/Tokyo' } });
}
