import { Type } from '@sinclair/typebox';
import { checked, type Importer, yearsOf } from './official_file.ts';

const Division = Type.Object({ events: Type.Array(Type.Object({ date: Type.String() }), { minItems: 1 }) });
const BankHolidays = Type.Object({
  'england-and-wales': Division,
  scotland: Division,
  'northern-ireland': Division,
});

/** https://www.gov.uk/bank-holidays.json. Great Britain has the days that all divisions share. */
export const importGovUk: Importer = ({ json }) => {
  if (typeof json !== 'object' || json === null || !('england-and-wales' in json)) return null;
  const divisions = checked(BankHolidays, json);
  const datesOf = (division: keyof typeof divisions) =>
    new Set(divisions[division].events.map(({ date }) => date));
  const [england, scotland, northernIreland] = [
    datesOf('england-and-wales'),
    datesOf('scotland'),
    datesOf('northern-ireland'),
  ];
  const shared = england.intersection(scotland).intersection(northernIreland);
  return {
    years: [
      ...yearsOf(
        'GB',
        shared,
        `gov.uk, bank holidays that England, Wales, Scotland and Northern Ireland share, ${ADDRESS}`,
      ),
      ...yearsOf('GB-ENG', england, `gov.uk, bank holidays, ${ADDRESS}`),
      ...yearsOf('GB-SCT', scotland, `gov.uk, bank holidays, ${ADDRESS}`),
      ...yearsOf('GB-NIR', northernIreland, `gov.uk, bank holidays, ${ADDRESS}`),
    ],
    skipped: [],
  };
};

const ADDRESS = 'https://www.gov.uk/bank-holidays.json';
