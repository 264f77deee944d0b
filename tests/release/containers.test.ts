import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service } from 'kubernetes-models/v1';
import { libraryFiles } from '../../data/packaging/c_library.ts';
import { writeImage } from '../../data/packaging/oci_image.ts';
import { readDocuments } from '../../data/packaging/package_files.ts';
import { outputOf } from '../support/printing.ts';
import { BINARY, newFolder, output, requiring, run, startServer } from '../support/process.ts';

const withPrograms = requiring('root', 'skopeo', 'umoci', 'unshare');
const folder = newFolder();
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
  const library = () => libraryFiles('amd64', '/');
  return await writeImage(new Map(Object.entries(executables)), out, release, library);
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

withPrograms('skopeo and umoci accept the image, and its root runs the service as its user', async () => {
  const image = await imageOf({ 'linux-x64': BINARY, 'linux-arm64': '/bin/true' }, 'whole');
  const inspect = ['skopeo', 'inspect', '--config', '--raw', '--override-arch=amd64'];
  const inspected = JSON.parse(output([...inspect, `oci-archive:${image}:9.8.7`]));
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
});

/** The models from Kubernetes' OpenAPI description, in the order of the file. */
const MODELS = [ConfigMap, Deployment, Service, HorizontalPodAutoscaler, PodDisruptionBudget] as const;

const text = (await outputOf(['help', 'containers', 'kubernetes'])).lines.join('\n');
const manifests = JSON.parse(JSON.stringify(Bun.YAML.parse(text)));
const [configMap, deployment, service, autoscaler, budget] = manifests;
const pod = deployment.spec.template.spec;
const [main] = pod.containers;

test('the manifests are valid against the Kubernetes schemas', () => {
  expect(manifests.map(({ kind }: { kind: string }) => kind)).toEqual(MODELS.map(({ kind }) => kind));
  for (const [index, Model] of MODELS.entries()) {
    expect(manifests[index].apiVersion).toBe(Model.apiVersion);
    new (Model as typeof Deployment)(manifests[index]).validate();
  }
  const broken = structuredClone(deployment);
  broken.spec.template.spec.containers[0].ports[0].containerPort = 'http';
  expect(() => new Deployment(broken).validate()).toThrow('containerPort');
});

test('the manifests refer only to each other and to two Secrets', () => {
  const { labels } = deployment.spec.template.metadata;
  for (const selector of [
    deployment.spec.selector.matchLabels,
    service.spec.selector,
    budget.spec.selector.matchLabels,
  ])
    expect(selector).toEqual(labels);
  expect(autoscaler.spec.scaleTargetRef.name).toBe(deployment.metadata.name);
  const ports = main.ports.map(({ name }: { name: string }) => name);
  for (const { targetPort } of service.spec.ports) expect(ports).toContain(targetPort);
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
    expect(ports).toContain(main[probe].httpGet.port);
  const volumes = new Map(pod.volumes.map(({ name }: { name: string }) => [name, true]));
  for (const { volumeMounts } of [...pod.initContainers, main])
    for (const { name } of volumeMounts) expect(volumes.has(name)).toBe(true);
  const secrets = [...text.matchAll(/create secret generic ([\w-]+)/g)].map(([, name]) => name);
  expect(
    pod.volumes.flatMap(({ secret }: { secret?: { secretName: string } }) => secret?.secretName ?? []).sort(),
  ).toEqual(secrets.sort());
  expect(
    pod.volumes.flatMap(({ configMap }: { configMap?: { name: string } }) => configMap?.name ?? []),
  ).toEqual([configMap.metadata.name]);
});

test("a server with a pod's configuration and keys is ready, requires a key, and signs", async () => {
  const at = (path: string) => join(folder, path);
  for (const path of ['secret', 'state', 'keys']) mkdirSync(at(path));
  // The commands at the top of the file; the second one stores the signing key in a Secret.
  expect((await run(['keys', 'rotate', '--state-dir', at('laptop')])).exitCode).toBe(0);
  output(['sh', '-c', `cp ${at('laptop')}/signing-keys/* ${at('secret')}`]);
  const apiKeys = /^# {3}(printf .*) > api-keys$/m.exec(text)?.[1] ?? '';
  writeFileSync(at('keys/api-keys'), output(['sh', '-c', apiKeys]));
  const [init] = pod.initContainers;
  const script = init.command.at(-1).replaceAll('/state', at('state')).replaceAll('/secret', at('secret'));
  output([...init.command.slice(0, -1), script]);

  const config = configMap.data['meridian.toml']
    .replace('/var/lib/meridian', at('state/meridian'))
    .replace('/etc/meridian', folder)
    .replace('0.0.0.0:8080', '0.0.0.0:0')
    .replace('0.0.0.0:9090', '0.0.0.0:0');
  writeFileSync(at('meridian.toml'), config);
  using server = await startServer([`--config=${at('meridian.toml')}`]);
  const { origin } = new URL(server.url);
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  const url = `${origin}/v1/time/current?tz=Asia/Tokyo&sign=true`;
  expect((await fetch(url)).status).toBe(401);
  const [key] = (await Bun.file(at('keys/api-keys')).text()).split(' ');
  const response = await fetch(url, { headers: { 'X-API-Key': key! } }); // split returns at least one part
  expect(response.status).toBe(200);
  expect([...response.headers.keys()].filter(name => name.includes('signature'))).not.toEqual([]);
});
