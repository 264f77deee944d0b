import { importDayLists } from './day_lists.ts';
import { importEtalab } from './etalab.ts';
import { importGovUk } from './gov_uk.ts';
import { importHolidaysKr } from './holidays_kr.ts';
import type { Importer } from './official_file.ts';
import { importSyukujitsu } from './syukujitsu.ts';

/** All importers, each of one format; no file has the format of two. */
export const IMPORTERS: readonly Importer[] = [
  importGovUk,
  importSyukujitsu,
  importEtalab,
  importHolidaysKr,
  importDayLists,
];
