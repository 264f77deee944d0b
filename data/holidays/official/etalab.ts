import { Type } from '@sinclair/typebox';
import { checked, type Importer, type OfficialFile, rowsOf, yearsOf } from './official_file.ts';

/** Etalab's zones, and their calendars; null for those whose own holidays the files lack. */
const CALENDARS: ReadonlyMap<string, string | null> = new Map([
  ['metropole', 'FR'],
  ['alsace-moselle', 'FR-57'],
  ['guadeloupe', 'GP'],
  ['guyane', 'GF'],
  ['la-reunion', 'RE'],
  ['martinique', 'MQ'],
  ['mayotte', 'YT'],
  ['saint-barthelemy', 'BL'],
  ['saint-martin', 'MF'],
  ['saint-pierre-et-miquelon', 'PM'],
  ['nouvelle-caledonie', null],
  ['polynesie-francaise', null],
  ['wallis-et-futuna', null],
]);

/**
 * Files of https://www.data.gouv.fr/fr/datasets/jours-feries-en-france/: CSV with a column of zones, or JSON with the zone in its
 * path, as in `metropole.json` and `metropole/2026.json`.
 */
export const importEtalab: Importer = file => {
  const days = csvDays(file) ?? jsonDays(file);
  if (days === null) return null;
  const zones = [...Map.groupBy(days, ({ zone }) => zone)];
  const unknown = zones.find(([zone]) => !CALENDARS.has(zone));
  if (unknown !== undefined) throw new Error(`there is no zone '${unknown[0]}'`);
  return {
    years: zones.flatMap(([zone, ofZone]) => {
      const calendar = CALENDARS.get(zone)!;
      return calendar === null
        ? []
        : yearsOf(
            calendar,
            ofZone.map(({ date }) => date),
            TITLE,
          );
    }),
    skipped: zones
      .filter(([zone]) => CALENDARS.get(zone) === null)
      .map(([zone]) => `${zone}: the file lacks the holidays of its own law`),
  };
};

interface DayInZone {
  readonly date: string;
  readonly zone: string;
}

/** Days of `date,annee,zone,nom_jour_ferie` or `date,nom_jour_ferie,zones`, where zones are separated by `|`. */
function csvDays({ text }: OfficialFile): DayInZone[] | null {
  const [, columns] = /^date,(annee,zone,nom_jour_ferie|nom_jour_ferie,zones)\r?\n/.exec(text) ?? [];
  if (columns === undefined) return null;
  return rowsOf(text).flatMap(row => row[2]!.split('|').map(name => ({ date: row[0]!, zone: slugOf(name) })));
}

/** Days of `{"2026-01-01": "1er janvier"}`. */
function jsonDays({ json, path }: OfficialFile): DayInZone[] | null {
  if (typeof json !== 'object' || json === null || !Object.keys(json).some(key => ISO_DATE.test(key)))
    return null;
  const dates = Object.keys(checked(Type.Record(Type.String(), Type.String()), json));
  const zone = /([^/]+?)(?:\/\d{4})?\.json$/.exec(path)?.[1] ?? path;
  return dates.map(date => ({ date, zone }));
}

const ISO_DATE = /^\d{4}-\d\d-\d\d$/;

/** `la-reunion` of `La Réunion` */
function slugOf(name: string): string {
  return name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll(' ', '-');
}

const TITLE =
  'Etalab, jours fériés en France (https://www.data.gouv.fr/fr/datasets/jours-feries-en-france/), from https://github.com/etalab/jours-feries-france-data';
