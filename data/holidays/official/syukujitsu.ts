import { type Importer, rowsOf, yearsOf } from './official_file.ts';

/** Japan's https://www8.cao.go.jp/chosei/shukujitsu/syukujitsu.csv, with rows such as `2026/1/1,元日`. */
export const importSyukujitsu: Importer = ({ text }) => {
  if (!text.startsWith('国民の祝日・休日月日,')) return null;
  const dates = rowsOf(text).map(([date]) => {
    const [, year, month, day] = /^(\d{4})\/(\d{1,2})\/(\d{1,2})$/.exec(date!) ?? [];
    if (year === undefined) throw new Error(`'${date}' is not a date such as 2026/1/1`);
    return `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`;
  });
  return { years: yearsOf('JP', dates, TITLE), skipped: [] };
};

const TITLE = '内閣府, syukujitsu.csv (https://www8.cao.go.jp/chosei/shukujitsu/gaiyou.html)';
