import apiKeys from './topics/api-keys.md' with { type: 'text' };
import backup from './topics/backup.md' with { type: 'text' };
import containers from './topics/containers.md' with { type: 'text' };
import data from './topics/data.md' with { type: 'text' };
import limits from './topics/limits.md' with { type: 'text' };
import logging from './topics/logging.md' with { type: 'text' };
import monitoring from './topics/monitoring.md' with { type: 'text' };
import plans from './topics/plans.md' with { type: 'text' };
import proxies from './topics/proxies.md' with { type: 'text' };
import redis from './topics/redis.md' with { type: 'text' };
import schedules from './topics/schedules.md' with { type: 'text' };
import serving from './topics/serving.md' with { type: 'text' };
import settings from './topics/settings.md' with { type: 'text' };
import signing from './topics/signing.md' with { type: 'text' };
import systemd from './topics/systemd.md' with { type: 'text' };
import tls from './topics/tls.md' with { type: 'text' };

/** All topics of `meridian help`, in its order. A text is `# NAME: SUMMARY`, then Markdown wrapped at 80 columns. */
export const TOPICS = [
  serving,
  settings,
  systemd,
  containers,
  proxies,
  tls,
  apiKeys,
  plans,
  redis,
  signing,
  data,
  schedules,
  logging,
  monitoring,
  limits,
  backup,
].map(text => {
  const { name = '', summary = '' } = /^# (?<name>[a-z-]+): (?<summary>.+)/.exec(text)?.groups ?? {};
  return { name, summary, text: text.trimEnd() };
});
