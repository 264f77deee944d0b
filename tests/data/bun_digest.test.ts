import { expect, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');
const PACKAGE = `@oven/bun-${process.platform}-${process.arch.replace('arm64', 'aarch64')}`;

/** Runs `make .tools/bun` in a temporary folder, where `npm` installs a file in place of Bun. */
async function makeBun(install: string) {
  const folder = mkdtempSync(join(tmpdir(), 'meridian-make-'));
  mkdirSync(join(folder, 'data'));
  mkdirSync(join(folder, 'bin'));
  for (const name of ['Makefile', 'data/bun.sha256']) copyFileSync(join(ROOT, name), join(folder, name));
  const installed = `.tools/node_modules/${PACKAGE}/bin/bun`;
  const script = `#!/bin/sh\nset -e\nmkdir -p $(dirname ${installed})\n${install} ${installed}\nchmod +x ${installed}\n`;
  writeFileSync(join(folder, 'bin/npm'), script, { mode: 0o755 });
  try {
    const make = Bun.spawn(['make', '.tools/bun'], {
      cwd: folder,
      env: { PATH: `${folder}/bin:/usr/bin:/bin` },
      stdout: 'ignore',
      stderr: 'pipe',
    });
    const errors = await new Response(make.stderr).text();
    const exitCode = await make.exited;
    const [isLinked, hasRun] = ['.tools/bun', 'has-run'].map(name => existsSync(join(folder, name)));
    return { exitCode, errors, isLinked, hasRun };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a Bun with another digest is neither linked nor run', async () => {
  const hostile = 'printf "#!/bin/sh\\ntouch has-run\\necho 1.4.5\\n" >';
  const { errors, ...outcome } = await makeBun(hostile);
  expect(outcome).toEqual({ exitCode: 2, isLinked: false, hasRun: false });
  expect(errors).toMatch(
    /bin\/bun has the SHA-256 [0-9a-f]{64}, which is not that of @oven\/bun-\S+ 1\.4\.5/,
  );
});

test('a Bun with the pinned digest is linked', async () => {
  const { errors, ...outcome } = await makeBun(`cp ${realpathSync(process.execPath)}`);
  expect({ errors, ...outcome }).toEqual({ errors: '', exitCode: 0, isLinked: true, hasRun: false });
});
