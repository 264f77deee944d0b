import { resolve } from 'node:path';
import { LICENSE_PATH, licenseText, type Release } from './package_files.ts';
import { gzipOf, parentFolders, type TarEntry, tarArchive, textEntry } from './tar.ts';

/** The Debian and OCI name of the architecture, by the platform of the executable. */
const ARCHITECTURES: Readonly<Record<string, string>> = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' };

/** The user id of the service, commonly used in images without a shell. */
const USER = { id: 65_532, name: 'meridian' };
const STATE = 'var/lib/meridian';

const PASSWD = `root:x:0:0::/:/sbin/nologin
meridian:x:${USER.id}:${USER.id}::/${STATE}:/sbin/nologin
`;
const GROUP = `root:x:0:\nmeridian:x:${USER.id}:\n`;

const OCI = 'application/vnd.oci.image';
const INDEX_TYPE = `${OCI}.index.v1+json`;
const SECOND_NS = 1_000_000_000;

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

type ImageRelease = Release & { readonly commit: string };

/** A layout in memory: blobs by digest. */
type Blobs = Map<string, Uint8Array>;

/**
 * Writes an image for several architectures as an archive of an OCI layout (OCI Image Format 1.1) and returns its path. The
 * image has the executable, the C library for its architecture and a user. `executables` are by platform; those without
 * images are ignored. Its tags are the version, for all architectures, and `VERSION-ARCHITECTURE`.
 */
export async function writeImage(
  executables: ReadonlyMap<string, string>,
  folder: string,
  release: ImageRelease,
  cLibrary: (architecture: string) => Promise<readonly TarEntry[]>,
): Promise<string> {
  const blobs: Blobs = new Map();
  const images: (Descriptor & { platform: object; architecture: string })[] = [];
  for (const [platform, executable] of executables) {
    const architecture = ARCHITECTURES[platform];
    if (architecture === undefined) continue;
    const library = await cLibrary(architecture);
    const program = await Bun.file(executable).bytes();
    const manifest = await addImage(blobs, architecture, library, program, release);
    images.push({ ...manifest, platform: { architecture, os: 'linux' }, architecture });
  }
  const indexOf = (manifests: object[]) => ({ schemaVersion: 2, mediaType: INDEX_TYPE, manifests });
  const index = addJson(blobs, INDEX_TYPE, indexOf(images.map(({ architecture: _, ...image }) => image)));
  const tagged = (descriptor: Descriptor, tag: string) => ({
    ...descriptor,
    annotations: { 'org.opencontainers.image.ref.name': tag },
  });
  const layoutIndex = indexOf([
    tagged(index, release.version),
    ...images.map(({ architecture, ...image }) => tagged(image, `${release.version}-${architecture}`)),
  ]);
  const target = resolve(folder, `meridian-${release.version}-oci.tar`);
  await Bun.write(target, layoutArchive(blobs, layoutIndex, release.epochSeconds));
  return target;
}

async function addImage(
  blobs: Blobs,
  architecture: string,
  library: readonly TarEntry[],
  program: Uint8Array,
  release: ImageRelease,
): Promise<Descriptor> {
  // The library in a separate layer, shared by upgrades of the service.
  const layers = [
    layerOf([...library, textEntry('etc/passwd', PASSWD), textEntry('etc/group', GROUP)], [], release),
    layerOf(
      [
        { path: 'usr/bin/meridian', mode: 0o755, content: program },
        textEntry(LICENSE_PATH, await licenseText()),
      ],
      [{ path: STATE, mode: 0o700, owner: USER }],
      release,
    ),
  ];
  const config = addJson(blobs, `${OCI}.config.v1+json`, configOf(architecture, layers, release));
  return addJson(blobs, `${OCI}.manifest.v1+json`, {
    schemaVersion: 2,
    mediaType: `${OCI}.manifest.v1+json`,
    config,
    layers: layers.map(({ compressed }) => addBlob(blobs, `${OCI}.layer.v1.tar+gzip`, compressed)),
  });
}

interface Layer {
  readonly compressed: Uint8Array;
  /** The digest of the uncompressed archive. */
  readonly diffId: string;
}

function layerOf(files: readonly TarEntry[], folders: readonly TarEntry[], release: Release): Layer {
  const parents = parentFolders([...files, ...folders].map(({ path }) => path));
  const archive = tarArchive([...parents, ...folders, ...files], release.epochSeconds);
  return { compressed: gzipOf(archive, release.compression), diffId: digestOf(archive) };
}

/** Entry point, user and health check. Docker reads `Healthcheck`, which OCI reserves for it. */
function configOf(
  architecture: string,
  layers: readonly Layer[],
  { version, epochSeconds, commit }: ImageRelease,
) {
  const created = new Date(epochSeconds * 1000).toISOString().replace('.000', '');
  const label = (name: string) => `org.opencontainers.image.${name}`;
  return {
    created,
    architecture,
    os: 'linux',
    config: {
      User: `${USER.id}:${USER.id}`,
      ExposedPorts: { '8080/tcp': {} },
      Env: ['PATH=/usr/bin', 'MERIDIAN_LISTEN=0.0.0.0:8080', `MERIDIAN_STATE_DIR=/${STATE}`],
      Entrypoint: ['/usr/bin/meridian'],
      Cmd: ['serve'],
      Volumes: { [`/${STATE}`]: {} },
      WorkingDir: '/',
      StopSignal: 'SIGTERM',
      Healthcheck: {
        Test: ['CMD', '/usr/bin/meridian', 'health'],
        Interval: 30 * SECOND_NS,
        Timeout: 10 * SECOND_NS,
        StartPeriod: 10 * SECOND_NS,
        Retries: 3,
      },
      Labels: {
        [label('title')]: 'meridian',
        [label('description')]: 'Time and time-zone HTTP service in one executable',
        [label('version')]: version,
        [label('revision')]: commit,
        [label('licenses')]: 'MIT',
        [label('created')]: created,
      },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: [
      { created, created_by: 'C library and user' },
      { created, created_by: `meridian ${version} ${commit}` },
    ],
  };
}

function layoutArchive(blobs: Blobs, index: object, epochSeconds: number): Uint8Array {
  const files = [
    textEntry('oci-layout', JSON.stringify({ imageLayoutVersion: '1.0.0' })),
    textEntry('index.json', JSON.stringify(index)),
    ...[...blobs]
      .map(([digest, content]) => ({ path: `blobs/${digest.replace(':', '/')}`, mode: 0o644, content }))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
  ];
  return tarArchive([...parentFolders(files.map(({ path }) => path)), ...files], epochSeconds);
}

function addJson(blobs: Blobs, mediaType: string, value: object): Descriptor {
  return addBlob(blobs, mediaType, Buffer.from(JSON.stringify(value)));
}

function addBlob(blobs: Blobs, mediaType: string, bytes: Uint8Array): Descriptor {
  const digest = digestOf(bytes);
  blobs.set(digest, bytes);
  return { mediaType, digest, size: bytes.length };
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${Bun.SHA256.hash(bytes, 'hex')}`;
}
