import { join } from 'node:path';

const PACKAGES = join(import.meta.dir, '..', 'clients', 'node_modules');

function packaged(path: string): Promise<string> {
  return Bun.file(join(PACKAGES, path)).text();
}

/** The stylesheet that Tailwind compiles from its directives, as served to a page. */
async function tailwind(directives: string): Promise<string> {
  const { compile } = await import(join(PACKAGES, 'tailwindcss/dist/lib.mjs'));
  const loadStylesheet = async (id: string, base: string) => {
    const path = join(PACKAGES, id === 'tailwindcss' ? 'tailwindcss/index.css' : id);
    return { path, base, content: await Bun.file(path).text() };
  };
  return (await compile(directives, { loadStylesheet })).build(['p-4', 'flex', 'text-red-600']);
}

/** Stylesheets of third-party pages, as shipped by their frameworks. */
export const STYLESHEETS: Readonly<Record<string, () => Promise<string>>> = {
  'a plain page': async () => '',
  Bootstrap: () => packaged('bootstrap/dist/css/bootstrap.min.css'),
  Tailwind: () => tailwind('@import "tailwindcss";'),
  'Preflight of Tailwind, without layers': () =>
    tailwind('@import "tailwindcss/theme.css"; @import "tailwindcss/preflight.css";'),
  'a theme that recolours everything': async () =>
    '*{color:#c00!important;font-size:30px;line-height:3}path{stroke:red}',
};

/** The script of `tests/clients/react_page.ts` with React. */
export async function reactScript(): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(PACKAGES, '..', 'react_page.ts')],
    target: 'browser',
    format: 'iife',
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  return outputs[0]!.text();
}
