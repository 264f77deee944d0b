import { Type } from '@sinclair/typebox';
import { checked, type Importer, yearsOf } from './official_file.ts';

/** Files `dist/2027-….js` of npm's `@hyunbinseo/holidays-kr`, which has Korea's almanac as it is published each year. */
export const importHolidaysKr: Importer = ({ text }) => {
  const [, year, object] = /^const y(\d{4}) = (\{.*?^\});$/ms.exec(text) ?? [];
  if (year === undefined) return null;
  const days = checked(Type.Record(Type.String(), Type.Array(Type.String())), JSON.parse(object!));
  const years = yearsOf('KR', Object.keys(days), TITLE);
  if (years.some(({ year: other }) => other !== Number(year))) throw new Error(`it has days outside ${year}`);
  return { years, skipped: [] };
};

const TITLE =
  '월력요항 (우주항공청, 과학기술정보통신부), each year, from https://github.com/hyunbinseo/holidays-kr';
