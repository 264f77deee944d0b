import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libraryFiles } from '../../data/packaging/c_library.ts';
import { writeImage } from '../../data/packaging/oci_image.ts';
import { readDocuments } from '../../data/packaging/package_files.ts';
import { BINARY, output } from '../support/process.ts';

const PROGRAMS = ['skopeo', 'umoci', 'unshare'];
const missing = [
  ...PROGRAMS.filter(program => Bun.which(program) === null),
  ...(process.getuid?.() === 0 ? [] : ['root']),
];
const folder = mkdtempSync(join(tmpdir(), 'meridian-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const release = {
  version: '9.8.7',
  epochSeconds: 1_700_000_000,
  documents: await readDocuments('9.8.7'),
  compression: 'none',
  commit: '0123456789ab',
} as const;

/** With this machine's C library for both architectures, since nothing is run for the other one. */
async function imageOf(executables: Record<string, string>, name: string): Promise<string> {
  const out = join(folder, name);
  mkdirSync(out);
  return await writeImage(new Map(Object.entries(executables)), out, release, () =>
    libraryFiles('amd64', '/'),
  );
}

test('images of one release are byte-identical, and other platforms have none', async () => {
  const executables = { 'linux-x64': '/bin/true', 'linux-arm64': '/bin/false', 'darwin-arm64': '/bin/true' };
  const [first, second] = [await imageOf(executables, 'first'), await imageOf(executables, 'second')];
  expect(await Bun.file(second).bytes()).toEqual(await Bun.file(first).bytes());
  const index = output(['tar', '-xOf', first, 'index.json']);
  const tags = JSON.parse(index).manifests.map(
    ({ annotations }: { annotations: Record<string, string> }) =>
      annotations['org.opencontainers.image.ref.name'],
  );
  expect(tags).toEqual(['9.8.7', '9.8.7-amd64', '9.8.7-arm64']);
});

/** In a separate mount namespace, as the image's user: `$1` is its root. */
const RUN = `set -e
root=$1 log=$2
mkdir -p "$root/proc" "$root/dev"
mount -t proc proc "$root/proc"
touch "$root/dev/null"
mount --bind /dev/null "$root/dev/null"
ip link set lo up
image=(env -i PATH=/usr/bin MERIDIAN_LISTEN=127.0.0.1:8099 MERIDIAN_STATE_DIR=/var/lib/meridian)
image+=("$(command -v chroot || echo /usr/sbin/chroot)" --userspec=65532:65532 "$root" /usr/bin/meridian)
"\${image[@]}" self-test
"\${image[@]}" health || echo "exit $?"
"\${image[@]}" serve --rotate-keys-every=90d > "$log" 2>&1 &
while ! grep -q listening "$log"; do read -rt 0.1 <> <(:) || true; done
"\${image[@]}" health
stat -c '%a %u' "$root/var/lib/meridian"
"\${image[@]}" keys list | grep -c ed25519
kill %1
wait %1 || { cat "$log" >&2; exit 1; }
`;

test.skipIf(missing.length > 0)(
  `skopeo and umoci accept the image, and its root runs the service as its user (requires ${missing})`,
  async () => {
    const image = await imageOf({ 'linux-x64': BINARY, 'linux-arm64': '/bin/true' }, 'whole');
    const inspected = JSON.parse(
      output([
        'skopeo',
        'inspect',
        '--config',
        '--raw',
        '--override-arch=amd64',
        `oci-archive:${image}:9.8.7`,
      ]),
    );
    expect(inspected.architecture).toBe('amd64');
    expect(inspected.config).toMatchObject({
      User: '65532:65532',
      Entrypoint: ['/usr/bin/meridian'],
      Healthcheck: { Test: ['CMD', '/usr/bin/meridian', 'health'] },
    });
    // A copy verifies the digest of every blob.
    output(['skopeo', 'copy', '--all', `oci-archive:${image}:9.8.7`, `oci:${folder}/layout:9.8.7`]);
    output(['skopeo', 'copy', `oci-archive:${image}:9.8.7-amd64`, `oci:${folder}/layout:amd64`]);
    output(['umoci', 'unpack', '--image', `${folder}/layout:amd64`, `${folder}/bundle`]);
    const { process: started } = JSON.parse(await Bun.file(`${folder}/bundle/config.json`).text());
    expect(started.args).toEqual(['/usr/bin/meridian', 'serve']);
    expect(started.user).toMatchObject({ uid: 65_532, gid: 65_532 });

    const root = `${folder}/bundle/rootfs`;
    const log = join(folder, 'serve.log');
    writeFileSync(log, '');
    const lines = output(['unshare', '-m', '-n', 'bash', '-c', RUN, 'run', root, log]).split('\n');
    expect(lines).toEqual(['50 requests, 0 differences', 'exit 1', 'ok', '700 65532', '1', '']);
  },
  120_000,
);
