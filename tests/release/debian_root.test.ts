import { afterAll, beforeAll, describe, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeDeb } from '../../data/packaging/deb.ts';
import { readDocuments } from '../../data/packaging/package_files.ts';
import { writeRpm } from '../../data/packaging/rpm.ts';
import { codeBlocks } from '../support/documentation.ts';
import { BINARY } from '../support/process.ts';
import { expectNoDifferences, IS_PROOF } from '../support/proof.ts';
import { installDebian, runBooted } from './debian_machine.ts';

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

dpkg -i meridian_9.8.8_amd64.deb >&2
state upgraded
test "$first" != "$(systemctl show -p MainPID meridian)"
ask "$key"
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
$rpm -U meridian-9.8.8-1.x86_64.rpm >&2
state upgraded
ask "$key"
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
    const folder = mkdtempSync(join(tmpdir(), 'meridian-'));
    const root = join(folder, 'root');
    beforeAll(() => installDebian(root), 1_200_000);
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
    }, 1_200_000);

    test('installs, upgrades and removes the RPM package', async () => {
      const packages = [await packageOf('9.8.7', writeRpm), await packageOf('9.8.8', writeRpm)];
      const lines = await runBooted(root, RPM_LIFE, packages);
      const text = lines.join('\n');
      expectNoDifferences('life of the RPM package', lines.length, text === RPM_EXPECTED ? [] : [text]);
    }, 1_200_000);

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
    }, 1_200_000);
  });
}
