import { beforeAll, describe, test } from 'bun:test';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeDeb } from '../../data/packaging/deb.ts';
import { readDocuments } from '../../data/packaging/package_files.ts';
import { writeRpm } from '../../data/packaging/rpm.ts';
import { codeBlocks } from '../support/documentation.ts';
import { BINARY, newFolder } from '../support/process.ts';
import { expectNoDifferences, IS_PROOF } from '../support/proof.ts';

/** Runs once when the system is up, and then turns it off. */
const UNIT = `[Unit]
Description=The script of a test
After=network.target nginx.service
SuccessAction=poweroff
FailureAction=poweroff

[Service]
Type=oneshot
WorkingDirectory=/root
Environment=HOME=/root DEBIAN_FRONTEND=noninteractive
ExecStart=/bin/bash -eu -o pipefail /root/script
StandardOutput=file:/root/stdout
StandardError=file:/root/stderr
TimeoutStartSec=600
`;

/** Installs a minimal Debian with systemd from a mirror. */
async function installDebian(root: string): Promise<void> {
  const packages = 'systemd,systemd-sysv,dbus,curl,nginx-light,minisign,rpm';
  await Bun.$`mmdebstrap --quiet --variant=minbase --include=${packages} bookworm ${root}`;
}

/**
 * Boots a copy of a Debian root in a container without a network, runs a script as root in /root, with the given files there,
 * and returns its stdout. Throws an Error with its stderr and the end of the journal if it fails.
 */
async function runBooted(root: string, script: string, files: readonly string[]): Promise<readonly string[]> {
  const machine = `${root}-booted-${crypto.randomUUID().slice(0, 8)}`;
  await Bun.$`cp -a ${root} ${machine}`;
  try {
    const home = join(machine, 'root');
    for (const file of files) cpSync(file, join(home, file.split('/').at(-1)!)); // split returns at least one part
    writeFileSync(join(home, 'script'), `${script}\necho completed\n`);
    const units = join(machine, 'etc/systemd/system');
    writeFileSync(join(units, 'script.service'), UNIT);
    mkdirSync(join(units, 'multi-user.target.wants'), { recursive: true });
    symlinkSync('/etc/systemd/system/script.service', join(units, 'multi-user.target.wants/script.service'));
    chmodSync(machine, 0o755);
    const options = ['--register=no', '--keep-unit', '--private-network', '--console=pipe'];
    await Bun.$`timeout 900 systemd-nspawn --quiet --directory=${machine} ${options} --boot < /dev/null`
      .env({ ...process.env, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1' })
      .nothrow()
      .quiet();
    const read = (name: string) => readFileSync(join(home, name), 'utf8');
    const lines = read('stdout').trimEnd().split('\n');
    if (lines.pop() !== 'completed') throw new Error(`${read('stdout')}\n${read('stderr').slice(-4000)}`);
    return lines;
  } finally {
    rmSync(machine, { recursive: true, force: true });
  }
}

/** Shell functions that print the state of the files and the unit, and a response. */
const STATE = String.raw`
state() {
  echo "$1: $(stat -c '%a %U %G' /etc/meridian/meridian.toml 2>&1), $(stat -c '%a %U %G' /var/lib/meridian 2>&1)"
  echo "unit: $(systemctl is-enabled meridian 2>/dev/null || true) $(systemctl is-active meridian || true)"
}
ask() { curl -sS -H "Authorization: Bearer $1" 'http://127.0.0.1:8080/v1/time/convert?unix=0&tz=Asia/Tokyo' | grep -o '"iso_local":"[^"]*"\|"code":"[^"]*"'; }
`;

/** Configures the service with a key, starts it, and sends requests with this key and with others. */
const CONFIGURE = `
meridian init --force --output=/etc/meridian/meridian.toml --state-dir=/var/lib/meridian --rotate-keys-every=90d --key-name=first > init.txt
key=$(grep -o 'mrd_.*' init.txt)
systemctl restart meridian
ask "$key"
ask none
`;

const LIFE = `${STATE}
dpkg -i meridian_9.8.7_amd64.deb >&2
state installed
ask none
${CONFIGURE}first=$(systemctl show -p MainPID meridian)

meridian upgrade /usr/bin/meridian --unsigned --state-dir=/var/lib/meridian >&2
state 'handed over'
test "$first" != "$(systemctl show -p MainPID meridian)"
ask "$key"
systemctl reload meridian
systemctl show -p Result -p NRestarts meridian
first=$(systemctl show -p MainPID meridian)
running=$(systemctl show -p InvocationID meridian)

dpkg -i meridian_9.8.8_amd64.deb >&2
state upgraded
test "$first" != "$(systemctl show -p MainPID meridian)"
ask "$key"
dpkg -i meridian_9.8.7_amd64.deb >&2
state 'gone back'
ask "$key"
dpkg -i meridian_9.8.8_amd64.deb >&2
test "$running" = "$(systemctl show -p InvocationID meridian)" && echo 'not restarted'
dpkg-query -W meridian | cut -f 2
systemctl reload meridian
systemctl show -p User -p NRestarts meridian
journalctl -u meridian -p warning -o cat | grep -v 'clock' >&2 || true

dpkg -r meridian >&2
state removed
test -e /usr/bin/meridian || echo 'no executable'
dpkg -i meridian_9.8.8_amd64.deb >&2
state 'installed again'
ask "$key"
systemctl disable --now meridian
dpkg -i meridian_9.8.7_amd64.deb >&2
state disabled

dpkg -P meridian >&2
ls -d /etc/meridian /var/lib/meridian 2>&1 || true
`;

const EXPECTED = `installed: 640 root meridian, 700 meridian meridian
unit: enabled active
"iso_local":"1970-01-01T09:00:00+09:00"
"iso_local":"1970-01-01T09:00:00+09:00"
"code":"INVALID_AUTH"
handed over: 640 root meridian, 700 meridian meridian
unit: enabled active
"iso_local":"1970-01-01T09:00:00+09:00"
Result=success
NRestarts=0
upgraded: 640 root meridian, 700 meridian meridian
unit: enabled active
"iso_local":"1970-01-01T09:00:00+09:00"
gone back: 640 root meridian, 700 meridian meridian
unit: enabled active
"iso_local":"1970-01-01T09:00:00+09:00"
not restarted
9.8.8
NRestarts=0
User=meridian
removed: 640 root meridian, 700 meridian meridian
unit:  inactive
no executable
installed again: 640 root meridian, 700 meridian meridian
unit: enabled active
"iso_local":"1970-01-01T09:00:00+09:00"
disabled: 640 root meridian, 700 meridian meridian
unit: disabled inactive
ls: cannot access '/etc/meridian': No such file or directory
ls: cannot access '/var/lib/meridian': No such file or directory`;

const RPM_LIFE = `${STATE}
rpm='rpm --force-debian --nodeps'
$rpm -i meridian-9.8.7-1.x86_64.rpm >&2
state installed
systemctl enable --now meridian
ask none
${CONFIGURE}
running=$(systemctl show -p InvocationID meridian)
$rpm -U meridian-9.8.8-1.x86_64.rpm >&2
state upgraded
ask "$key"
test "$running" = "$(systemctl show -p InvocationID meridian)" && echo 'not restarted'
rpm -q meridian
$rpm -e meridian >&2
state removed
ls /etc/meridian /usr/bin/meridian 2>&1 || true
$rpm -i meridian-9.8.8-1.x86_64.rpm >&2
state 'installed again'
cp /etc/meridian/meridian.toml.rpmsave /etc/meridian/meridian.toml
systemctl enable --now meridian
ask "$key"
`;

const RPM_EXPECTED = `installed: 640 root meridian, 700 meridian meridian
unit: disabled inactive
"iso_local":"1970-01-01T09:00:00+09:00"
"iso_local":"1970-01-01T09:00:00+09:00"
"code":"INVALID_AUTH"
upgraded: 640 root meridian, 700 meridian meridian
unit: enabled active
"iso_local":"1970-01-01T09:00:00+09:00"
not restarted
meridian-9.8.8-1.x86_64
removed: stat: cannot statx '/etc/meridian/meridian.toml': No such file or directory, 700 meridian meridian
unit:  inactive
ls: cannot access '/usr/bin/meridian': No such file or directory
/etc/meridian:
meridian.toml.rpmsave
installed again: 640 root meridian, 700 meridian meridian
unit: disabled inactive
"iso_local":"1970-01-01T09:00:00+09:00"`;

/** The README's commands from a package to a service, as printed, but with the key they created. */
function readmeScript(): string {
  const block = codeBlocks('README.md', 'sh').find(text => text.includes('apt install'));
  return (block ?? '')
    .replaceAll("'first app'", "'first app' | tee /root/init.txt")
    .replaceAll('Bearer KEY', `Bearer '"$(grep -o 'mrd_.*' /root/init.txt)"'`);
}

// Needs a Debian root from a mirror, so it runs only in the proof. Requires root, mmdebstrap and systemd-nspawn.
if (IS_PROOF) {
  describe('a fresh Debian under systemd', () => {
    const folder = newFolder();
    const root = join(folder, 'root');
    beforeAll(() => installDebian(root), 1_200_000);

    const packageOf = async (version: string, write = writeDeb) => {
      const documents = await readDocuments(version);
      const release = { version, epochSeconds: 1_700_000_000, documents, compression: 'none' } as const;
      return (await write('linux-x64', BINARY, folder, release))!; // linux-x64 has packages
    };

    test('installs, upgrades, removes and purges the package', async () => {
      const packages = [await packageOf('9.8.7'), await packageOf('9.8.8')];
      const lines = await runBooted(root, LIFE, packages);
      const text = lines.join('\n');
      expectNoDifferences('life of the Debian package', lines.length, text === EXPECTED ? [] : [text]);
    });

    test('installs, upgrades and removes the RPM package', async () => {
      const packages = [await packageOf('9.8.7', writeRpm), await packageOf('9.8.8', writeRpm)];
      const lines = await runBooted(root, RPM_LIFE, packages);
      const text = lines.join('\n');
      expectNoDifferences('life of the RPM package', lines.length, text === RPM_EXPECTED ? [] : [text]);
    });

    test("has a service with signatures and keys behind a proxy after the README's commands", async () => {
      const deb = await packageOf('9.8.7');
      const sums = join(folder, 'SHA256SUMS');
      await Bun.$`sha256sum ${deb.split('/').at(-1)!} > SHA256SUMS && minisign -G -W -f -p meridian.pub -s secret && minisign -S -s secret -m SHA256SUMS`.cwd(
        folder,
      );
      const script = `echo '127.0.0.1 time.example.com' >> /etc/hosts\n${readmeScript()}`;
      const lines = await runBooted(root, script, [
        deb,
        sums,
        `${sums}.minisig`,
        join(folder, 'meridian.pub'),
      ]);
      const wanted = ['Signature and comment signature verified', '50 requests, 0 differences', 'verified: '];
      const absent = wanted.filter(text => !lines.some(line => line.startsWith(text)));
      expectNoDifferences(
        'commands of the README',
        wanted.length,
        absent.length === 0 ? [] : [...absent, ...lines],
      );
    });
  });
}
