import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dir, '..');
const SUBJECTS = ['zones', 'places', 'text', 'holidays', 'signing', 'access'];

/**
 * The layers from top to bottom: a file imports from its own folder and from layers further down. The clock is drawn
 * with what `text` writes.
 */
const LAYERS = [
  ['main.ts'],
  ['cli'],
  ['server'],
  ['site', 'api', 'http'],
  ['operations'],
  ['clock'],
  SUBJECTS,
  ['common'],
];

/** Subjects and operations are values in, values out; these files of theirs are the edges that are not. */
const EDGE = /(_directory|_store|_file|_files|_clock_source)\.ts$|\/browser\//;
const WORLDLY =
  /\bnew Date\(\s*\)|\bDate\.now\b|\bMath\.random\b|(?<![.\w])(Intl|process|Bun|performance|crypto)\.|(?<![.\w])(fetch|setTimeout|setInterval)\(/;
const WORLDLY_IMPORT =
  /^(node:(fs|net|http|os|child_process|timers)(\/.*)?$|bun(:.*)?|elysia|@elysiajs\/(?!html)|geo-tz.*)/;

interface Source {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const transpiler = new Bun.Transpiler({ loader: 'tsx' });

function sources(folder: string): Source[] {
  const glob = new Bun.Glob('**/*.{ts,tsx}');
  return [...glob.scanSync(join(ROOT, folder))].sort().map(path => {
    const text = readFileSync(join(ROOT, folder, path), 'utf8');
    // The transpiler leaves out imports of types; those must obey too.
    const types = [...text.matchAll(/^(?:import|export) type [^;]*? from '([^']+)'/gms)].map(
      match => match[1]!,
    );
    return { path, text, imports: [...transpiler.scanImports(text).map(({ path }) => path), ...types] };
  });
}

function layerOf(path: string): number {
  const top = path.split('/')[0]!;
  return LAYERS.findIndex(names => names.includes(top));
}

function resolved(from: string, specifier: string): string {
  return relative(join(ROOT, 'src'), join(ROOT, 'src', dirname(from), specifier));
}

const SOURCES = sources('src');

/** The code of a file without comments and texts, but with what is computed within texts. */
function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$|`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'/gm, found =>
    found.startsWith('`') ? [...found.matchAll(/\$\{([^}]*)\}/g)].map(match => match[1]).join(';') : '',
  );
}

test('the check for what is worldly sees it, and nothing else', () => {
  const isWorldly = (line: string) => WORLDLY.test(codeOf(line));
  for (const line of [
    'const d = new Date();',
    'f(new Date().getTime())',
    'Date.now()',
    'const now = Date.now;',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the line is code.
    'const text = `at ${Date.now()}`;',
    'new Intl.DateTimeFormat()',
    'process.env',
    'Bun.file(path)',
    'crypto.randomUUID()',
    'setTimeout(run, 1)',
  ]) {
    expect([line, isWorldly(line)]).toEqual([line, true]);
  }
  for (const line of [
    'new Date(0)',
    '// Date.now()',
    "'process.env'",
    '`Date.now()`',
    'world.crypto.now()',
    'x.fetch()',
  ]) {
    expect([line, isWorldly(line)]).toEqual([line, false]);
  }
});

test('every source file belongs to a layer', () => {
  expect(SOURCES.filter(({ path }) => layerOf(path) === -1).map(({ path }) => path)).toEqual([]);
  expect(SOURCES.length).toBeGreaterThan(30);
});

/** Imports that still point up while the rooms are being divided. */
const UPWARD = [
  'server/access.ts imports cli/settings.ts',
  'server/lifecycle.ts imports cli/command.ts',
  'server/log.ts imports cli/terminal.ts',
  'server/process_metrics.ts imports cli/version.ts',
  'server/signing_keys.ts imports cli/settings.ts',
  'server/workers/supervise.ts imports cli/command.ts',
  'server/workers/worker_place.ts imports cli/settings.ts',
  'text/json_text.ts imports operations/time_payload.ts',
  'text/json_text.ts imports operations/target.ts',
  'text/time_form.ts imports operations/target.ts',
];

test('imports go down the layers, and subjects do not import each other', () => {
  const wrong = SOURCES.flatMap(({ path, imports }) =>
    imports
      .filter(specifier => specifier.startsWith('.'))
      .map(specifier => resolved(path, specifier))
      .filter(target => !target.startsWith('..'))
      .filter(target => {
        const isSameFolder = target.split('/')[0] === path.split('/')[0];
        const isSameLayer = layerOf(target) === layerOf(path) && LAYERS[layerOf(path)]!.includes('http');
        return !isSameFolder && !isSameLayer && layerOf(target) <= layerOf(path);
      })
      .map(target => `${path} imports ${target}`),
  );
  expect(wrong).toEqual(UPWARD);
});

test('only the command line and the server import embedded data', () => {
  const wrong = SOURCES.filter(
    ({ path }) => !['cli', 'server', 'main.ts'].includes(path.split('/')[0]!),
  ).flatMap(({ path, imports }) =>
    imports
      .filter(specifier => specifier.startsWith('.') && resolved(path, specifier).startsWith('../data/'))
      .filter(specifier => !specifier.endsWith('/data/manifest.ts'))
      .map(specifier => `${path} imports ${specifier}`),
  );
  expect(wrong).toEqual([]);
});

test('no imports go in a circle', () => {
  const importsOf = new Map(
    SOURCES.map(({ path, imports }) => [
      path,
      imports.filter(specifier => specifier.startsWith('.')).map(specifier => resolved(path, specifier)),
    ]),
  );
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) throw new Error(`${[...trail.slice(trail.indexOf(path)), path].join(' → ')}`);
    if (done.has(path)) return;
    for (const target of importsOf.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of importsOf.keys()) visit(path, []);
  expect(done.size).toBeGreaterThanOrEqual(SOURCES.length);
});

test('operations and subjects know nothing of the world but in their edge files', () => {
  const inner = SOURCES.filter(
    ({ path }) =>
      layerOf(path) >= LAYERS.findIndex(names => names.includes('operations')) && !EDGE.test(path),
  );
  const wrong = inner.flatMap(({ path, text, imports }) => [
    ...imports
      .filter(specifier => WORLDLY_IMPORT.test(specifier))
      .map(specifier => `${path} imports ${specifier}`),
    ...(WORLDLY.exec(codeOf(text)) ?? []).slice(0, 1).map(found => `${path} uses ${found}`),
  ]);
  expect(wrong).toEqual([]);
});
