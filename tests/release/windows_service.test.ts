import { afterAll, beforeAll, describe, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildExecutable } from '../../data/build_executable.ts';
import { verifiedRuntime } from '../../data/release.ts';
import { expectNoDifferences, IS_PROOF } from '../proof.ts';

/** The Windows folders, as in wine. */
const DRIVE = '/root/.wine/drive_c';

const SETTINGS = `listen = ["127.0.0.1:8080"]
calendar = "own days.txt"
`;

const CALENDAR = '2026-12-24 holiday Closing day\n';

/** Waits at most a minute for the service to reach a state, and prints it with its exit codes. */
const FUNCTIONS = `
service() {
  for attempt in $(seq 120); do
    wine sc query meridian > query.txt
    grep -q "$1" query.txt && break
    sleep 0.5
  done
  tr -d '\\r' < query.txt | grep -o 'STATE .*\\|[A-Z0-9_]*EXIT_CODE .*' | tr -s ' '
}
ask() { curl -sS -H "Authorization: Bearer $1" 'http://127.0.0.1:8080/v1/time/convert?unix=0&tz=Asia/Tokyo' | grep -o '"iso_local":"[^"]*"\\|"code":"[^"]*"'; }
meridian() { wine '${DRIVE}/Program Files/meridian/meridian.exe' "$@" 2>&1 | tr -d '\\r'; }
`;

const SERVICE = `
cd '${DRIVE}/Program Files/meridian'
meridian service uninstall
meridian service run
key=$(meridian tokens add --name first --state-dir 'C:\\ProgramData\\meridian' | grep -o '^mrd_.*')
meridian service install --api-key 0123456789abcdef
meridian service install --config 'my settings.toml'
meridian service install
wine reg query 'HKLM\\System\\CurrentControlSet\\Services\\meridian' | tr -d '\\r' | grep -o '\\(ImagePath\\|ObjectName\\|Start\\) .*'

wine sc start meridian > /dev/null
service RUNNING
ask none
ask "$key"
wine sc stop meridian > /dev/null
service STOPPED
grep -o '"message":"[^"]*"' ${DRIVE}/ProgramData/meridian/meridian.log

echo 'listen = 1' > 'my settings.toml'
wine sc start meridian > /dev/null
service 1066
tail -n 1 ${DRIVE}/ProgramData/meridian/meridian.log | cut -d ' ' -f 2- | tr -d '\\r'
mv settings.txt 'my settings.toml'

wine sc start meridian > /dev/null
service RUNNING
ask "$key"
meridian service uninstall
grep -o '"message":"[^"]*"' ${DRIVE}/ProgramData/meridian/meridian.log | tail -n 1
meridian service uninstall
ls ${DRIVE}/ProgramData/meridian
`;

const EXPECTED_SERVICE = String.raw`meridian: the service 'meridian' is not installed
meridian: The Service Control Manager has not started this process: use sc.exe start meridian
meridian: --api-key: every user could read it in the service's command line: put it in the --config file
Installed the service 'meridian'. It starts with Windows; to start it now:

  sc.exe start meridian

State directory, for --state-dir of tokens, keys and data: C:\ProgramData\meridian
Log: C:\ProgramData\meridian\meridian.log
meridian: the service 'meridian' is already installed: uninstall it first
ImagePath    REG_SZ    "C:\Program Files\meridian\meridian.exe" service run "--calendar=C:\Program Files\meridian\own days.txt" "--config=C:\Program Files\meridian\my settings.toml" --state-dir=C:\ProgramData\meridian
ObjectName    REG_SZ    NT AUTHORITY\LocalService
Start    REG_DWORD    0x2
STATE : 4 RUNNING
WIN32_EXIT_CODE : 0 (0x0)
SERVICE_EXIT_CODE : 0 (0x0)
"code":"INVALID_AUTH"
"iso_local":"1970-01-01T09:00:00+09:00"
STATE : 1 STOPPED
WIN32_EXIT_CODE : 0 (0x0)
SERVICE_EXIT_CODE : 0 (0x0)
"message":"started"
"message":"stopped"
STATE : 1 STOPPED
WIN32_EXIT_CODE : 1066 (0x42a)
SERVICE_EXIT_CODE : 1 (0x1)
C:\Program Files\meridian\my settings.toml: listen: '1' is not HOST:PORT, [IPV6]:PORT or unix:PATH
STATE : 4 RUNNING
WIN32_EXIT_CODE : 0 (0x0)
SERVICE_EXIT_CODE : 0 (0x0)
"iso_local":"1970-01-01T09:00:00+09:00"
Uninstalled the service 'meridian'. Its state directory remains.
"message":"stopped"
meridian: the service 'meridian' is not installed
access.sqlite
last-good
meridian.log
reload.json
signing-keys`;

const CONSOLE = `
cd '${DRIVE}/Program Files/meridian'
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

const EXPECTED_CONSOLE = `50 requests, 0 differences
"day_full":"木曜日"
ok
exit code 0
meridian listening on http://127.0.0.1:8080
"message":"started"
"message":"stopped"
/root/.wine/drive_c/users/root/AppData/Local/meridian/signing-keys`;

/** Runs a script in a Debian root with wine and the executable, in separate namespaces without a network. */
async function runInWine(root: string, script: string): Promise<readonly string[]> {
  const lines = [
    'export WINEPREFIX=/root/.wine WINEDEBUG=-all HOME=/root',
    // A second start, with the option to remain: the first one does not know the new prefix's services. Its background
    // processes must not hold a pipe of the script.
    'wineboot -i > /dev/null 2>&1; wineserver -k; wineserver -p; wine cmd /c ver > /dev/null 2>&1',
    `cd '${DRIVE}/Program Files' && mkdir meridian && cp /root/meridian.exe /root/settings/* meridian`,
    FUNCTIONS,
    script,
  ];
  writeFileSync(join(root, 'root/script'), lines.join('\n'));
  const inside = `ip link set lo up; mount --rbind /dev ${root}/dev; mount -t proc proc ${root}/proc; exec chroot ${root} bash /root/script`;
  mkdirSync(join(root, 'root/settings'), { recursive: true });
  for (const name of ['my settings.toml', 'settings.txt'])
    writeFileSync(join(root, 'root/settings', name), SETTINGS);
  writeFileSync(join(root, 'root/settings/own days.txt'), CALENDAR);
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
    const folder = mkdtempSync(join(tmpdir(), 'meridian-'));
    const root = join(folder, 'root');
    beforeAll(async () => {
      const executable = join(root, 'root/meridian');
      // Bun requires Windows 10 functions that bookworm's wine lacks.
      await Bun.$`mmdebstrap --quiet --variant=minbase --include=wine,wine64,curl trixie ${root}`;
      const runtime = await verifiedRuntime('windows-x64');
      await buildExecutable(executable, { target: 'bun-windows-x64', runtime });
    }, 1_200_000);
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    test('installs, starts, stops and uninstalls the service', async () => {
      const lines = await runInWine(root, SERVICE);
      const text = lines.join('\n');
      expectNoDifferences('service of Windows', lines.length, text === EXPECTED_SERVICE ? [] : [text]);
    }, 1_200_000);

    test('prints UTF-8, and finishes on Ctrl+C', async () => {
      const lines = await runInWine(root, CONSOLE);
      const text = lines.join('\n');
      expectNoDifferences('executable for Windows', lines.length, text === EXPECTED_CONSOLE ? [] : [text]);
    }, 1_200_000);
  });
}
