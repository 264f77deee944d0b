import administration from './topics/administration.md' with { type: 'text' };
import agents from './topics/agents.md' with { type: 'text' };
import apiKeys from './topics/api-keys.md' with { type: 'text' };
import backup from './topics/backup.md' with { type: 'text' };
import bundles from './topics/bundles.md' with { type: 'text' };
import caching from './topics/caching.md' with { type: 'text' };
import capacityFigures from './topics/capacity/figures.md' with { type: 'text' };
import capacity from './topics/capacity.md' with { type: 'text' };
import compatibility from './topics/compatibility.md' with { type: 'text' };
import kubernetes from './topics/containers/kubernetes.yml' with { type: 'text' };
import containers from './topics/containers.md' with { type: 'text' };
import dataFiles from './topics/data-files.md' with { type: 'text' };
import limits from './topics/limits.md' with { type: 'text' };
import logging from './topics/logging.md' with { type: 'text' };
import alerts from './topics/monitoring/alerts.yml' with { type: 'text' };
import dashboard from './topics/monitoring/dashboard.json' with { type: 'json' };
import monitoring from './topics/monitoring.md' with { type: 'text' };
import proxies from './topics/proxies.md' with { type: 'text' };
import quotas from './topics/quotas.md' with { type: 'text' };
import redis from './topics/redis.md' with { type: 'text' };
import schedules from './topics/schedules.md' with { type: 'text' };
import serving from './topics/serving.md' with { type: 'text' };
import settings from './topics/settings.md' with { type: 'text' };
import signing from './topics/signing.md' with { type: 'text' };
import cloudInit from './topics/systemd/cloud-init.yml' with { type: 'text' };
import systemd from './topics/systemd.md' with { type: 'text' };
import tls from './topics/tls.md' with { type: 'text' };
import windows from './topics/windows.md' with { type: 'text' };

/** Files for other programs, printed by `meridian help TOPIC NAME`, by topic and name. */
export const TOPIC_FILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  containers: { kubernetes: kubernetes.trimEnd() },
  systemd: { 'cloud-init': cloudInit.trimEnd() },
  monitoring: { alerts: alerts.trimEnd(), dashboard: JSON.stringify(dashboard, null, 2) },
};

/** All topics of `meridian help`, in order. A text is `# NAME: SUMMARY`, then Markdown wrapped at 80 columns. */
export const TOPICS = [
  serving,
  settings,
  systemd,
  containers,
  windows,
  proxies,
  caching,
  tls,
  apiKeys,
  administration,
  quotas,
  redis,
  signing,
  dataFiles,
  bundles,
  schedules,
  agents,
  compatibility,
  logging,
  monitoring,
  limits,
  `${capacity}\n${capacityFigures}`,
  backup,
].map(text => {
  const { name = '', summary = '' } = /^# (?<name>[a-z-]+): (?<summary>.+)/.exec(text)?.groups ?? {};
  return { name, summary, text: text.trimEnd() };
});
