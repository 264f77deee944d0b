import { beforeAll, describe, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildExecutable } from '../../data/build_executable.ts';
import { verifiedRuntime } from '../../data/release.ts';
import { newFolder } from '../support/process.ts';
import { expectNoDifferences, IS_PROOF } from '../support/proof.ts';

/** The Windows folders, as in wine. */
const DRIVE = '/root/.wine/drive_c';

const SCRIPT = `
meridian() { wine meridian.exe "$@" 2>&1 | tr -d '\\r'; }
meridian self-test
meridian get '/v1/time/convert?unix=0&tz=Asia/Tokyo&lang=ja' | grep -o '"day_full":"[^"]*"'
wine meridian.exe serve > out.txt 2> err.txt &
curl -sS --retry 60 --retry-delay 1 --retry-connrefused http://127.0.0.1:8080/healthz
kill -INT $!
wait $!
echo "exit code $?"
tr -d '\\r' < out.txt
grep -o '"message":"[^"]*"' err.txt
ls -d ${DRIVE}/users/root/AppData/Local/meridian/signing-keys
`;

const EXPECTED = `50 requests, 0 differences
"day_full":"木曜日"
ok
exit code 0
meridian listening on http://127.0.0.1:8080
"message":"started"
"message":"stopped"
/root/.wine/drive_c/users/root/AppData/Local/meridian/signing-keys`;

/** Runs the script in a Debian root with wine and the executable, in separate namespaces without a network. */
async function runInWine(root: string): Promise<readonly string[]> {
  const lines = [
    'export WINEPREFIX=/root/.wine WINEDEBUG=-all HOME=/root',
    // Its background processes must not hold a pipe of the script.
    'wineboot -i > /dev/null 2>&1; wineserver -k; wineserver -p; wine cmd /c ver > /dev/null 2>&1',
    `cd '${DRIVE}/Program Files' && cp /root/meridian.exe .`,
    SCRIPT,
  ];
  writeFileSync(join(root, 'root/script'), lines.join('\n'));
  const inside = `ip link set lo up; mount --rbind /dev ${root}/dev; mount -t proc proc ${root}/proc; exec chroot ${root} bash /root/script`;
  const output =
    await Bun.$`timeout --kill-after=5 600 unshare --net --mount --pid --fork --kill-child bash -c ${inside} 2> ${root}/root/stderr`
      .nothrow()
      .text();
  rmSync(join(root, 'root/.wine'), { recursive: true, force: true });
  return output.trimEnd().split('\n');
}

// Needs a Debian root with wine from a mirror, so it runs only in the proof. Requires root and mmdebstrap.
if (IS_PROOF) {
  describe('the executable for Windows under wine', () => {
    const folder = newFolder();
    const root = join(folder, 'root');
    beforeAll(async () => {
      const executable = join(root, 'root/meridian');
      // Bun requires Windows 10 functions that bookworm's wine lacks.
      await Bun.$`mmdebstrap --quiet --variant=minbase --include=wine,wine64,curl trixie ${root}`;
      const runtime = await verifiedRuntime('windows-x64');
      await buildExecutable(executable, { target: 'bun-windows-x64', runtime });
    });

    test('prints UTF-8, and finishes on Ctrl+C', async () => {
      const lines = await runInWine(root);
      const text = lines.join('\n');
      expectNoDifferences('executable for Windows', lines.length, text === EXPECTED ? [] : [text]);
    });
  });
}
