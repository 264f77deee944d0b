/** Collects the licences of everything inside the executable: `bun data/licenses/compile.ts`. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { version } from '../../package.json';
import { EMBEDDED_DATA } from '../manifests.ts';
import { bundledPackages } from './bundled_packages.ts';
import { RUNTIME, RUNTIME_PARTS } from './runtime.ts';

const RULE = '='.repeat(80);

function section(title: string, text: string): string {
  return `${RULE}\n${title}\n${RULE}\n\n${text.trim()}\n`;
}

const build = new URL('build/', import.meta.url);
const file = new URL('licenses.txt', build);
mkdirSync(build, { recursive: true });
// The analysed bundle imports the file written here.
if (!existsSync(file)) writeFileSync(file, '');
const packages = await bundledPackages();
const texts = new URL('texts/', import.meta.url);
const pythonHolidays = new URL('../holidays/sources/LICENSE-python-holidays', import.meta.url);
const parts = RUNTIME_PARTS.map(({ name, licence, source }) => `  ${name}: ${licence}, ${source}`);
const data = EMBEDDED_DATA.map(({ name, version, licence, source, attribution }) =>
  [`${name} ${version}: ${licence}`, `  ${source}`, ...(attribution ? [`  ${attribution}`] : [])].join('\n'),
);

const document = [
  section(`meridian ${version}: MIT`, readFileSync(new URL('../../LICENSE', import.meta.url), 'utf8')),
  section('Data inside', data.join('\n\n')),
  section(
    `${RUNTIME.name} ${RUNTIME.version}: ${RUNTIME.licence}`,
    `The runtime that this program is compiled with, ${RUNTIME.source}. It contains:\n\n${parts.join('\n')}\n\n` +
      'JavaScriptCore, WebCore and tinycc are under the GNU Lesser General Public License. To run this program ' +
      'with a modified version of them, build Bun with it, as its documentation says, and then this program with ' +
      'that Bun: the sources of both are public.',
  ),
  ...packages.map(({ name, version, licence, licenceText }) =>
    section(`${name} ${version}: ${licence}`, licenceText),
  ),
  ...readdirSync(texts)
    .sort()
    .map(file =>
      section(`Text of ${file.replace(/\.txt$/, '')}`, readFileSync(new URL(file, texts), 'utf8')),
    ),
  section('Text of the licence of python-holidays: MIT', readFileSync(pythonHolidays, 'utf8')),
].join('\n');

await Bun.write(file, document);
console.log(`licenses.txt: ${packages.length} packages, ${(document.length / 1e3).toFixed(0)} KB`);
