import { expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import { nameLanguageOf } from '../../../src/holidays/name_language.ts';
import { embeddedCalendars } from './embedded_calendars.ts';

const SNAPSHOT = `${import.meta.dir}/../../../data/holidays/sources/python-holidays-1970-2100.json.gz`;

test('local names with an English counterpart are in the language given by python-holidays', async () => {
  const snapshot = JSON.parse(gunzipSync(await Bun.file(SNAPSHOT).bytes()).toString()) as Readonly<
    Record<string, { readonly language: string | null }>
  >;
  const compared = embeddedCalendars.countries.flatMap(country => {
    const language = snapshot[country.code]?.language?.split(/[_-]/)[0];
    const isTranslated = embeddedCalendars
      .calendarOf(country, null)
      .holidaysOf(2026)
      .some(({ nameEn }) => nameEn !== null);
    return language === undefined || !isTranslated ? [] : [[country.code, language] as const];
  });
  expect(compared.length).toBeGreaterThan(130);
  expect(compared.filter(([code, language]) => nameLanguageOf(code) !== language)).toEqual([]);
});
