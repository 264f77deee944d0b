import { expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of a documentation file, by its path in the repository. */
export function documentation(path: string): string {
  return readFileSync(join(import.meta.dir, '../..', path), 'utf8');
}

/** The fenced code blocks in a language in a Markdown file, in order. */
export function codeBlocks(path: string, language: string): string[] {
  const blocks = [...documentation(path).matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  return blocks.filter(([, name]) => name === language).map(([, , code]) => code!);
}

/** The only block in a language, with parts replaced that must differ from the documentation. */
export function codeBlock(
  path: string,
  language: string,
  replacements: readonly (readonly [from: string, to: string])[] = [],
): string {
  const blocks = codeBlocks(path, language);
  expect(blocks).toHaveLength(1);
  return replacements.reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replaceAll(from, to);
  }, blocks[0]!);
}
