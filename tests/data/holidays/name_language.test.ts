import { expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import { languageOfPlace, nameLanguageOf } from '../../../src/holidays/name_language.ts';
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

test('where a place has another language than the table, its names of a year are in that, but for one at most', () => {
  const places = embeddedCalendars.countries.flatMap(country =>
    [null, ...country.subdivisions].map(part => ({ country, code: part?.code ?? null })),
  );
  const others = places.filter(
    ({ country, code }) => languageOfPlace(country.code, code) !== nameLanguageOf(country.code),
  );
  expect(others.length).toBeGreaterThanOrEqual(10);
  for (const { country, code } of others) {
    const calendar = embeddedCalendars.calendarOf(country, code);
    const language = languageOfPlace(country.code, code);
    const names = calendar.holidaysOf(2026).map(({ name }) => name);
    const others = names.filter(name => calendar.translated(name, language) === undefined);
    expect([country.code, code, others.length > 1 ? others : []]).toEqual([country.code, code, []]);
  }
});

test('no name is translated into the language that it is in, nor into English', () => {
  for (const country of embeddedCalendars.countries) {
    for (const [name, byLanguage] of country.readTranslations()) {
      const isOwn = byLanguage.get(nameLanguageOf(country.code)) === name;
      expect([country.code, name, byLanguage.has('en'), isOwn]).toEqual([country.code, name, false, false]);
    }
  }
});
