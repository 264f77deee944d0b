import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { output } from '../support/process.ts';

const PACKAGING = join(import.meta.dir, '../../data/packaging');
const SHELL = /^(post|pre)(inst|rm|-install|-upgrade|-deinstall)$|\.(sh|initd)$/;
const scripts = (readdirSync(PACKAGING, { recursive: true }) as string[]).filter(path =>
  SHELL.test(path.split('/').at(-1)!),
);

test.skipIf(Bun.which('shellcheck') === null)(
  'shellcheck finds nothing in packaging scripts (requires shellcheck)',
  () => {
    expect(scripts).toContain('postinst');
    expect(scripts).toContain('alpine/meridian.initd');
    for (const script of scripts) {
      // The variables in a service script are used by OpenRC.
      const excluded = script.endsWith('.initd') ? ['--exclude=SC2034'] : [];
      output(['shellcheck', '--shell=sh', ...excluded, join(PACKAGING, script)]);
    }
  },
);
