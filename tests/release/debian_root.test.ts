import { test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeDeb } from '../../data/packaging/deb.ts';
import { readDocuments } from '../../data/packaging/package_files.ts';
import { BINARY } from '../binary/process.ts';
import { expectNoDifferences, IS_PROOF } from '../proof.ts';

/** In a mount namespace of its own, so that nothing remains mounted. `$1` is the root, `$2` the package. */
const LIFE = `set -e
mount -t proc proc "$1/proc"
cp "$2" "$1/tmp/meridian.deb"
root=$1
run() { chroot "$root" "$@"; }
state() { echo "$1: $(run stat -c '%a %U %G' /etc/meridian/meridian.toml 2>&1), $(run stat -c '%a %U %G' /var/lib/meridian 2>&1)"; }
run dpkg -i /tmp/meridian.deb >&2
state installed
run meridian self-test
run meridian init --force --output=/etc/meridian/meridian.toml --state-dir=/var/lib/meridian --listen=127.0.0.1:0 --key-name=first >&2
run meridian check --config /etc/meridian/meridian.toml
run dpkg -i /tmp/meridian.deb >&2
state upgraded
run grep '^listen' /etc/meridian/meridian.toml
run dpkg -r meridian >&2
state removed
run meridian --version >&2 || echo 'no executable'
run ls /var/lib/meridian
run dpkg -P meridian >&2
run ls -d /etc/meridian /var/lib/meridian 2>&1 || true
`;

const EXPECTED = `installed: 640 root meridian, 700 meridian meridian
50 requests, 0 differences
no faults found
upgraded: 640 root meridian, 700 meridian meridian
listen = ["127.0.0.1:0"]
removed: 640 root meridian, 700 meridian meridian
no executable
access.sqlite
ls: cannot access '/etc/meridian': No such file or directory
ls: cannot access '/var/lib/meridian': No such file or directory
`;

// Takes a root of Debian from its mirror, hence in the proof alone.
if (IS_PROOF) {
  test('a fresh Debian installs, upgrades, removes and purges the package', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'meridian-'));
    const root = join(folder, 'root');
    try {
      await Bun.$`mmdebstrap --quiet --variant=minbase --include=adduser bookworm ${root}`;
      const version = '9.8.7';
      const documents = await readDocuments(version);
      const release = { version, epochSeconds: 1_700_000_000, documents, compression: 'none' } as const;
      const deb = await writeDeb('linux-x64', BINARY, folder, release);
      const lines = await Bun.$`unshare -m bash -c ${LIFE} life ${root} ${deb}`.text();
      expectNoDifferences('life of the Debian package', 10, lines === EXPECTED ? [] : [lines]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 600_000);
}
