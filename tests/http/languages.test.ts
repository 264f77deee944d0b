import { expect, test } from 'bun:test';
import { expectBodies, expectErrors } from '../support/responses.ts';
import { send } from '../support/service.ts';

const INSTANT = 'iso=2026-08-15T13:05:00Z';

/** The routes that return a time, each with a request for one in August. */
const REQUESTS = [
  `/v1/time/convert?${INSTANT}&tz=Europe/Moscow`,
  `/v1/time/convert?${INSTANT}&tz=Europe/Moscow,UTC`,
  `/v1/time/add?${INSTANT}&days=0&tz=Europe/Moscow`,
  `/v1/time/calendar?${INSTANT}&tz=Europe/Moscow`,
  `/v1/time/dst?${INSTANT}&tz=Europe/Moscow`,
  `/v1/timezone?${INSTANT}&tz=Europe/Moscow`,
  `/v1/work/add?schedule=24/7&duration=PT0H&${INSTANT}&tz=Europe/Moscow`,
];

test('lang changes the names of weekday and month, and nothing else', async () => {
  for (const path of REQUESTS) {
    const { body: english } = await send(path);
    const { body } = await send(`${path}&lang=ru`);
    const [time, plain] = [[body].flat()[0], [english].flat()[0]];
    expect(time).toEqual({
      ...plain,
      human: 'август 15, 2026, 4:05 PM Europe/Moscow',
      day_short: 'сб',
      day_full: 'суббота',
      ...('month_name' in plain && { month_name: 'август' }),
    });
    expect((await send(`${path}&lang=en`)).body).toEqual(english);
  }
});

test("the current time is in the request's language, whatever was requested before", async () => {
  for (let count = 0; count < 3; count++) {
    await expectBodies('/v1/time/current?tz=Asia/Tokyo', {
      '': { day_full: 'Thursday' },
      '&lang=ja': { day_full: '木曜日' },
      '&format=%25A&lang=pt-BR': { day_full: 'quinta-feira', formatted: 'quinta-feira' },
      '&format=%25A': { formatted: 'Thursday' },
    });
  }
});

test('formatted uses the form for dates', async () => {
  const { body } = await send(`/v1/time/convert?${INSTANT}&utc=true&lang=cs&format=%25-d.+%25B+%25Y,+%25A`);
  expect(body).toMatchObject({ formatted: '15. srpna 2026, sobota', human: 'srpen 15, 2026, 1:05 PM UTC' });
});

test('the zones of an offset are localized, too', async () => {
  const { body } = await send('/v1/timezone?offset=%2B05:45&lang=de');
  expect(body.matching_zones[0]).toMatchObject({ timezone: 'Asia/Kathmandu', day_full: 'Mittwoch' });
});

test('a tag without data is rejected', async () => {
  const tags = ['aa', 'xx', 'de_DE', 'german', 'x', '', 'und', 'a'.repeat(65)];
  const errors = { '400 INVALID_PARAMETER lang': tags };
  await expectErrors('/v1/time/current?lang=', errors);
  await expectErrors('/v1/timezone?tz=UTC&lang=', errors);
});
