import { expect, test } from 'bun:test';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVE_FLAGS } from '../../src/cli/flags.ts';
import { run } from '../support/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'meridian-'));

async function scriptFor(shell: string): Promise<string> {
  const { exitCode, stdout } = await run(['completions', shell]);
  expect(exitCode).toBe(0);
  const path = join(folder, `meridian.${shell}`);
  writeFileSync(path, stdout);
  return path;
}

function output(command: readonly string[]): string {
  const { stdout, stderr } = Bun.spawnSync([...command], { cwd: folder });
  expect(stderr.toString()).toBe('');
  return stdout.toString();
}

/** A line with an incomplete last word, and its completions. */
const LINES: readonly (readonly [line: string, offers: readonly string[]])[] = [
  ['meridian ke', ['keys']],
  ['meridian serve --zonei', ['--zoneinfo']],
  ['meridian --zonei', ['--zoneinfo']],
  ['meridian keys r', ['revoke', 'rotate']],
  ['meridian tokens re', ['remove', 'resume']],
  ['meridian tokens sus', ['suspend']],
  ['meridian serve --log-format j', ['json']],
  ['meridian completions f', ['fish']],
];

test.skipIf(Bun.which('bash') === null)(
  'bash completes commands, flags and words (requires bash)',
  async () => {
    const path = await scriptFor('bash');
    const complete = (line: string) =>
      output([
        'bash',
        '-c',
        `source ${path}; COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _meridian; echo "\${COMPREPLY[@]}"`,
      ]);
    for (const [line, offers] of LINES) expect(complete(line).trim().split(' ').sort()).toEqual([...offers]);
    const flags = complete('meridian serve --').trim().split(' ');
    expect(flags.sort()).toEqual([...Object.keys(SERVE_FLAGS), 'help'].map(name => `--${name}`).sort());
  },
);

test.skipIf(Bun.which('fish') === null)(
  'fish completes commands, flags and words (requires fish)',
  async () => {
    const path = await scriptFor('fish');
    for (const [line, offers] of LINES) {
      const text = output(['fish', '--no-config', '-c', `source ${path}; complete -C '${line}'`]);
      const offered = text.trimEnd().split('\n');
      expect(offered.map(offer => offer.split('\t')[0]!).sort()).toEqual([...offers]);
    }
  },
);

test.skipIf(Bun.which('zsh') === null)('zsh completes commands, flags and words (requires zsh)', async () => {
  const path = await scriptFor('zsh');
  for (const [line, [offer, ...more]] of LINES.filter(([, offers]) => offers.length === 1)) {
    expect(more).toEqual([]);
    // A shell on its own pseudo-terminal completes the typed line and prints the result.
    const typed = join(folder, 'typed.zsh');
    writeFileSync(
      typed,
      `zmodload zsh/zpty
zpty t zsh -f -i
zpty -w t "autoload -U compinit; compinit -u -D; source ${path}; tell() { print -r \\"<\\$BUFFER>\\"; BUFFER=; zle accept-line }; zle -N tell; bindkey '^I' complete-word '^T' tell; print RE''ADY"
zpty -r t out '*READY*'
zpty -w -n t $'${line}\\t\\x14'
zpty -r -m t out '*<*>*' && print -r -- \${\${out##*<}%%>*}
zpty -d t
`,
    );
    expect(output(['zsh', '-f', typed]).trim()).toMatch(new RegExp(`${offer}=?$`));
  }
});

test('an unknown shell is rejected', async () => {
  const { exitCode, stderr } = await run(['completions', 'tcsh']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('bash, zsh, fish');
});
