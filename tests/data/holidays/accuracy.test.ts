import { expect, test } from 'bun:test';
import accuracy from '../../../data/holidays/accuracy.json';
import { type AccuracyReport, accuracyTable, summaryOf } from '../../../data/holidays/report.ts';
import { documentation } from '../../support/documentation.ts';
import { embeddedCalendars } from './embedded_calendars.ts';

const report = accuracy as AccuracyReport;

test('the table on the pages matches the report; otherwise run make holidays-report', () => {
  const table = documentation('src/site/guide/accuracy_table.md');
  expect(table).toBe(accuracyTable(report));
  // It adds to the size of each page that shows it.
  expect(Bun.markdown.html(table).length).toBeLessThan(28_000);
});

test("the README has the report's figures", () => {
  expect(documentation('README.md')).toContain(`\`\`\`text\n${summaryOf(report)}\`\`\``);
});

test('the report has every calendar with its coverage', () => {
  const calendars = embeddedCalendars.countries.flatMap(({ code, coverage, subdivisions }) => [
    { code, coverage },
    ...subdivisions.map(part => ({ code: `${code}-${part.code}`, coverage: part.coverage })),
  ]);
  const byCode = (list: readonly { readonly code: string; readonly coverage: unknown }[]) =>
    new Map(list.map(({ code, coverage }) => [code, coverage]));
  expect(byCode(report.calendars)).toEqual(byCode(calendars));
});
