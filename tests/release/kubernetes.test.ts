import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service } from 'kubernetes-models/v1';
import { outputOf } from '../support/printing.ts';
import { output, run, startServer } from '../support/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'meridian-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
