import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dir, '..');
const SUBJECTS = ['zones', 'places', 'text', 'holidays', 'schedules', 'signing', 'access'];

/** The rooms of `src` from top to bottom: a file imports only from its own room and from those below. */
const LAYERS = [
  ['main.ts'],
  ['cli'],
  ['server'],
  ['site'],
  ['api'],
  ['http'],
  ['operations'],
  ['clock'],
  SUBJECTS, // side by side: they do not import each other
  ['redis'],
  ['common'],
];
const layerOf = (path: string) => LAYERS.findIndex(names => names.includes(roomOf(path)));
const roomOf = (path: string) => path.split('/')[0]!;
const layerNamed = (room: string) => LAYERS.findIndex(names => names.includes(room));

function expectNone(violations: readonly string[]): void {
  expect([...new Set(violations)].sort()).toEqual([]);
}

interface Source {
  /** Relative to the searched folder. */
  readonly path: string;
  readonly text: string;
  /** The specifiers of value and type imports, as written. */
  readonly imports: readonly string[];
}

const transpiler = new Bun.Transpiler({ loader: 'tsx' });

function sources(folder: string): Source[] {
  const paths = [...new Bun.Glob('**/*.{ts,tsx}').scanSync(join(ROOT, folder))].sort();
  return paths.map(path => {
    const text = readFileSync(join(ROOT, folder, path), 'utf8');
    // The transpiler omits type imports.
    const types = [...text.matchAll(/^(?:import|export) type [^;]*? from '([^']+)'/gms)];
    const inline = [...text.matchAll(/\bimport\('([^']+)'\)/g)];
    const named = [...types, ...inline].map(([, specifier]) => specifier!);
    return {
      path,
      text,
      imports: [...new Set([...transpiler.scanImports(text).map(({ path }) => path), ...named])],
    };
  });
}

const SOURCES = sources('src');
const DATA = sources('data');

/** The relative imports of a file in `src` or `data`, as paths from the root of the repository. */
function localImports(folder: string, { path, imports }: Source): string[] {
  return imports
    .filter(specifier => specifier.startsWith('.'))
    .map(specifier => relative(ROOT, join(ROOT, folder, dirname(path), specifier)));
}

/** The code of a file without comments and strings, but with the expressions in template literals. */
function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$|`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'/gm, found =>
    found.startsWith('`') ? [...found.matchAll(/\$\{([^}]*)\}/g)].map(match => match[1]).join(';') : '',
  );
}

test('every source file belongs to a room', () => {
  expect(SOURCES.filter(({ path }) => layerOf(path) === -1).map(({ path }) => path)).toEqual([]);
  expect(SOURCES.length).toBeGreaterThan(30);
});

test('imports go down the layers, and subjects do not import each other', () => {
  const violations = SOURCES.flatMap(source =>
    localImports('src', source)
      .filter(target => target.startsWith('src/'))
      .map(target => target.slice('src/'.length))
      .filter(target => roomOf(target) !== roomOf(source.path) && layerOf(target) <= layerOf(source.path))
      .map(target => `${source.path} imports ${target}`),
  );
  expectNone(violations);
});

test('only cli and server import artifacts from data', () => {
  const violations = SOURCES.flatMap(source =>
    localImports('src', source)
      .filter(target => !target.startsWith('src/'))
      .filter(target => {
        if (target === 'data/manifest.ts') return false; // a type
        const isArtifact = /^data\/\w+\/embedded\.ts$|^data\/manifests\.ts$/.test(target);
        return !isArtifact || layerOf(source.path) > layerNamed('server');
      })
      .map(target => `${source.path} imports ${target}`),
  );
  expectNone(violations);
});

test('data imports only subjects and common from src', () => {
  const violations = DATA.flatMap(source =>
    localImports('data', source)
      .filter(target => target.startsWith('src/') && layerOf(target.slice(4)) < layerNamed('zones'))
      .map(target => `${source.path} imports ${target}`),
  );
  expectNone(violations);
});

test('no imports form a cycle', () => {
  const importsOf = new Map<string, readonly string[]>([
    ...SOURCES.map(source => [`src/${source.path}`, localImports('src', source)] as const),
    ...DATA.map(source => [`data/${source.path}`, localImports('data', source)] as const),
  ]);
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) throw new Error(`${[...trail.slice(trail.indexOf(path)), path].join(' → ')}`);
    if (done.has(path)) return;
    for (const target of importsOf.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of importsOf.keys()) visit(path, []);
  expect(done.size).toBeGreaterThanOrEqual(SOURCES.length + DATA.length);
});

/** Subjects and operations are pure functions; their files with these names connect them to the system. */
const EDGE = /(_connection|_directory|_store|_file|_files|_clock_source)\.ts$|\/browser\//;
const IMPURE =
  /\bnew Date\(\s*\)|\bDate\.now\b|\bMath\.random\b|(?<![.\w])(Intl|process|Bun(?!\.SHA256)|performance|crypto)\.|(?<![.\w])(fetch|setTimeout|setInterval)\(/;
const IMPURE_IMPORT =
  /^(node:(fs|net|http|os|child_process|timers)(\/.*)?$|bun(:.*)?|elysia|@elysiajs\/(?!html)|geo-tz.*)/;

test('the pattern for impure code matches it, and nothing else', () => {
  const isImpure = (line: string) => IMPURE.test(codeOf(line));
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
    expect([line, isImpure(line)]).toEqual([line, true]);
  }
  for (const line of [
    'new Date(0)',
    '// Date.now()',
    "'process.env'",
    '`Date.now()`',
    'world.crypto.now()',
    'x.fetch()',
    'Bun.SHA256.hash(text)',
  ]) {
    expect([line, isImpure(line)]).toEqual([line, false]);
  }
});

test('operations, the clock and subjects are pure, except for edge files', () => {
  const inner = SOURCES.filter(({ path }) => layerOf(path) >= layerNamed('operations') && !EDGE.test(path));
  const violations = inner.flatMap(({ path, text, imports }) => [
    ...imports
      .filter(specifier => IMPURE_IMPORT.test(specifier))
      .map(specifier => `${path} imports ${specifier}`),
    ...(IMPURE.exec(codeOf(text)) ?? []).slice(0, 1).map(found => `${path} uses ${found}`),
  ]);
  expectNone(violations);
});

test('only browser scripts have variables at module level', () => {
  const violations = SOURCES.filter(({ path }) => !path.includes('/browser/')).flatMap(({ path, text }) =>
    [...codeOf(text).matchAll(/^(?:export )?(?:let|var) (\w+)/gm)].map(([, name]) => `${path}: ${name}`),
  );
  expectNone(violations);
});

const BROWSER_GLOBAL =
  /(?<![.\w])(document|window|navigator|localStorage|customElements)\.\w|\bimplements \w*HTMLElement\b/;

test('browser scripts are in folders named browser', () => {
  // The text between tags in a `.tsx` page is prose.
  const modules = SOURCES.filter(({ path }) => path.endsWith('.ts'));
  const scripts = modules.filter(({ text }) => BROWSER_GLOBAL.test(codeOf(text))).map(({ path }) => path);
  expect(scripts.length).toBeGreaterThan(5);
  expectNone(scripts.filter(path => !path.includes('/browser/')));
});
