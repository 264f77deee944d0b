import { expect, test } from 'bun:test';
import { parser } from '@prometheus-io/lezer-promql';
import { type Static, type TProperties, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { EMBEDDED_DATA } from '../../data/manifests.ts';
import { metricsText, Traffic } from '../../src/http/traffic.ts';
import { DATA_NAMES } from '../../src/operations/served_data.ts';
import { DataStore } from '../../src/server/bundles/data_store.ts';
import { startPulls } from '../../src/server/bundles/pulls.ts';
import { dataMetrics } from '../../src/server/data_age.ts';
import { descriptorMetrics } from '../../src/server/descriptors.ts';
import { LastGood } from '../../src/server/last_good.ts';
import { LiveData } from '../../src/server/live_data.ts';
import { accessMetrics, processMetrics, signingMetrics } from '../../src/server/metrics.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { control, outcome } from '../access/control.ts';
import { embeddedCalendars } from '../data/holidays/embedded_calendars.ts';
import { NO_FILES } from '../support/bundles.ts';
import { outputOf } from '../support/printing.ts';
import { newFolder, recordedEvents } from '../support/process.ts';
import { NOW_MS, testSnapshot } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

const printed = async (file: string) => (await outputOf(['help', 'monitoring', file])).lines.join('\n');

/** An object without other members. */
const closed = <Members extends TProperties>(members: Members) =>
  Type.Object(members, { additionalProperties: false });
const Rule = closed({
  alert: Type.String({ pattern: '^Meridian[A-Za-z]+$' }),
  expr: Type.String({ minLength: 1 }),
  for: Type.Optional(Type.String({ pattern: '^[0-9]+[smhd]$' })),
  labels: closed({ severity: Type.Union([Type.Literal('critical'), Type.Literal('warning')]) }),
  annotations: closed({ summary: Type.String({ minLength: 10 }) }),
});
/** A file of rules, as `promtool check rules` accepts it: https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules. */
const Rules = closed({
  groups: Type.Array(
    closed({ name: Type.String({ minLength: 1 }), rules: Type.Array(Rule, { minItems: 10 }) }),
  ),
});

const Dashboard = Type.Object({
  uid: Type.String(),
  title: Type.String(),
  schemaVersion: Type.Integer(),
  templating: Type.Object({ list: Type.Array(Type.Object({ name: Type.String(), query: Type.String() })) }),
  panels: Type.Array(
    Type.Object({
      id: Type.Integer(),
      type: Type.String(),
      title: Type.String({ minLength: 1 }),
      gridPos: Type.Object({ x: Type.Integer(), y: Type.Integer(), w: Type.Integer(), h: Type.Integer() }),
      targets: Type.Array(Type.Object({ expr: Type.String(), refId: Type.String() }), { minItems: 1 }),
    }),
    { minItems: 10 },
  ),
});

const alerts: unknown = Bun.YAML.parse(await printed('alerts'));
const rules: readonly Static<typeof Rule>[] = Value.Parse(Rules, alerts).groups.flatMap(group => group.rules);
const dashboard = Value.Parse(Dashboard, JSON.parse(await printed('dashboard')));

/** All expressions of PromQL, with Grafana's variable for a duration as one. */
const EXPRESSIONS = [
  ...rules.map(({ expr }) => expr),
  ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
].map(expr => expr.replaceAll('$__rate_interval', '5m'));

/** The node texts that PromQL's own grammar finds in an expression, by node name. */
function nodesOf(expression: string): readonly { readonly name: string; readonly text: string }[] {
  const nodes: { name: string; text: string }[] = [];
  parser.parse(expression).iterate({
    enter: ({ name, from, to, type }) => {
      nodes.push({ name: type.isError ? 'error' : name, text: expression.slice(from, to) });
    },
  });
  return nodes;
}

const textsOf = (expression: string, name: string) =>
  nodesOf(expression).flatMap(node => (node.name === name ? [node.text] : []));

/** The metrics of a server with everything conditional: TLS, a reload, a synchronised clock, configured files, limits. */
async function exposition(): Promise<string> {
  const folder = newFolder();
  const settings = { ...NO_FILES, calendar: `${folder}/calendar` };
  const limits = { 'max-data-age': [{ set: 'tzdata', days: 120 }], 'require-fresh-data': false } as const;
  const { log } = recordedEvents();
  const lastGood = new LastGood(`${folder}/last-good`);
  const roles = { isWriter: false, isRequired: false };
  const places = { settings, lastGood, store: new DataStore(folder), log, ...roles };
  const configured = await LiveData.load(places);
  const pulls = startPulls('/nowhere', 1e9, [], log);
  pulls.stop();
  const { access } = control(folder, { keys: [{ key: 'k'.repeat(16), plan: 'default', name: '' }] });
  await outcome(access, { 'X-API-Key': 'k'.repeat(16) });
  const traffic = new Traffic();
  traffic.meter('/v1/time/current').count(200, 1000);
  const ofProcess = processMetrics({
    pendingRequests: () => 0,
    droppedLogLines: () => 0,
    lastReload: () => ({ epochMs: NOW_MS, failures: [], pending: [] }),
    hostClock: () => ({ isSynchronized: true, maxErrorSeconds: 0.01 }),
    certificateExpiresMs: () => NOW_MS,
  });
  return metricsText([
    ...traffic.families(),
    ...signingMetrics(fixedKeys([sampleKey(1)]))(),
    ...accessMetrics(access)(),
    ...configured.metrics(),
    ...pulls.metrics(),
    ...dataMetrics(testSnapshot(), name => configured.sourceOf(name), limits, NOW_MS),
    ...descriptorMetrics()(),
    ...ofProcess(),
  ]);
}

const METRICS = await exposition();

test('all expressions are PromQL', () => {
  expect(EXPRESSIONS.length).toBeGreaterThan(30);
  for (const expression of EXPRESSIONS)
    expect([expression, textsOf(expression, 'error')]).toEqual([expression, []]);
  expect(textsOf('sum by (rate(x[5m])', 'error')).not.toEqual([]);
});

test('alerts and dashboard refer to metrics and labels that exist, and the dashboard shows nearly all', () => {
  const series = new Map<string, Set<string>>();
  for (const line of METRICS.split('\n')) {
    const [, name, labels = ''] = /^([a-z_]+)(?:\{(.*)\})? [^ ]+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const known = series.get(name) ?? new Set(['job', 'instance']); // added by Prometheus
    for (const [, label] of labels.matchAll(/([a-z_]+)="(?:[^"\\]|\\.)*"/g)) known.add(label!);
    series.set(name, known);
  }
  series.set('up', new Set(['job', 'instance'])); // Prometheus's own
  const used = new Set<string>();
  for (const expression of EXPRESSIONS) {
    const names = textsOf(expression, 'VectorSelector').map(text => /^[a-z_]+/.exec(text)![0]);
    for (const name of names) {
      expect([expression, name, series.has(name)]).toEqual([expression, name, true]);
      used.add(name);
    }
    const labels = new Set(names.flatMap(name => [...series.get(name)!]));
    for (const label of textsOf(expression, 'LabelName')) {
      expect([expression, label, labels.has(label)]).toEqual([expression, label, true]);
    }
  }
  const families = [...METRICS.matchAll(/^# TYPE ([a-z_]+)/gm)].map(([, name]) => name!);
  const unused = families.filter(name => ![...used].some(series => series.startsWith(name)));
  expect(unused).toEqual(['meridian_build_info', 'meridian_reload_timestamp_seconds']);
});

test("the dashboard's variables query existing metrics, and its panels use only those variables", () => {
  const variables = dashboard.templating.list;
  const names = ['__rate_interval', ...variables.map(({ name }) => name)];
  for (const [, name] of JSON.stringify(dashboard).matchAll(/\$\{?([a-z_]+)/g)) {
    expect(names).toContain(name === '__all' ? '__rate_interval' : name!);
  }
  for (const { query } of variables.filter(({ name }) => name !== 'datasource')) {
    expect(query).toStartWith('label_values(meridian_build_info');
  }
});

test('the panels do not overlap, on a grid of 24 columns', () => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(cells.filter(cell => Number(cell.split(' ')[0]) >= 24)).toEqual([]);
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
});

test('summary templates use labels that their expression preserves', () => {
  for (const { alert, expr, annotations } of rules) {
    const grouped = textsOf(expr, 'GroupingLabels').at(0);
    for (const [, label] of annotations.summary.matchAll(/\$labels\.([a-z_]+)/g)) {
      const isLeft =
        grouped === undefined || textsOf(expr, 'GroupingLabels').some(list => list.includes(label!));
      expect([alert, label, isLeft]).toEqual([alert, label!, true]);
    }
  }
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
});

test('an unknown file of a topic is an error that names the existing ones', async () => {
  expect(await outputOf(['help', 'monitoring', 'alert'])).toEqual({
    exitCode: 2,
    lines: ["meridian: Unknown file 'alert'; did you mean 'alerts'?"],
  });
  expect(await outputOf(['help', 'tls', 'x'])).toEqual({
    exitCode: 2,
    lines: ["meridian: Unknown file 'x'; the topic 'tls' has no files"],
  });
});

test('each embedded data set has its release, age and source in the metrics', () => {
  for (const { name, version, date } of EMBEDDED_DATA) {
    const set = name === 'tzdata releases' ? 'releases' : name;
    if (set === 'ip') continue; // the test server has another database
    expect(METRICS).toContain(`meridian_data_info{set="${set}",release="${version}",source="embedded"} 1\n`);
    const age = Math.max(0, NOW_MS - Date.parse(date)) / 1000;
    expect(METRICS).toContain(`meridian_data_age_seconds{set="${set}"} ${age}\n`);
  }
  expect(METRICS).toContain(`meridian_data_max_age_seconds{set="tzdata"} ${120 * 86_400}\n`);
  const { certainThrough } = embeddedCalendars.header;
  const certainUntil = Date.UTC(certainThrough! + 1, 0) / 1000;
  expect(METRICS).toContain(`meridian_holidays_certain_until_timestamp_seconds ${certainUntil}\n`);
});

test('the monitoring topic names all data sets that can have a maximum age', async () => {
  const text = (await outputOf(['help', 'monitoring'])).lines.join(' ');
  const named = /The sets are (.*?)\./.exec(text)![1]!; // the topic lists them
  const names = named.replace(/ \([^)]*\)/, '').split(/, | and /);
  expect(names).toEqual([...DATA_NAMES]);
});
