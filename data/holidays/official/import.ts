/**
 * Adds the days in files of governments to `decisions/evidence.txt`, and prints what it has changed: `bun
 * data/holidays/official/import.ts FILE…`. Exits with 1, and changes nothing, if it cannot read one of them.
 */
import { writeAtomically } from '../../artifact.ts';
import { countryOf } from '../codes.ts';
import { readDecisionFile } from '../decisions/decision_file.ts';
import { IMPORTERS } from './importers.ts';
import { mergeIntoEvidence } from './merge.ts';
import { importFile } from './official_file.ts';

try {
  const paths = process.argv.slice(2);
  if (paths.length === 0)
    throw new Error('no files: make official FILES="bank-holidays.json syukujitsu.csv"');
  const files = await Promise.all(
    paths.map(async path => importFile(path, await Bun.file(path).bytes(), IMPORTERS)),
  );
  const years = files.flatMap(file => file.years);
  const month = new Date().toISOString().slice(0, 'YYYY-MM'.length);
  const { text, changes } = mergeIntoEvidence(readDecisionFile('evidence.txt'), years, month);
  const lines = [
    ...files.flatMap(({ skipped }) => skipped).map(reason => `skipped: ${reason}`),
    ...changes,
    `${years.length} lists, ${changes.length || 'no'} change${changes.length === 1 ? '' : 's'}`,
  ];
  if (changes.length > 0) {
    await writeAtomically(new URL('../decisions/evidence.txt', import.meta.url), text);
    const countries = new Set(years.map(({ calendar }) => countryOf(calendar)));
    lines.push(`next: ${countries.size === 1 ? `make holidays ONLY=${[...countries]}` : 'make holidays'}`);
  }
  process.stdout.write(`${lines.join('\n')}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
