import type { AccessControl } from '../access/access_control.ts';
import type { MetricSource } from '../http/metrics.ts';

/** What became of the requests that were asked for a key, and whether all that access depends on works. */
export function accessMetrics(access: AccessControl): MetricSource {
  return () => [
    {
      name: 'meridian_access_requests_total',
      help: 'Requests that were asked for a key, by what was decided.',
      type: 'counter',
      across: 'sum',
      samples: [
        { labels: { decision: 'granted' }, value: access.grantedCount },
        ...[...access.rejectedCounts].map(([code, value]) => ({
          labels: { decision: code.toLowerCase() },
          value,
        })),
      ],
    },
    {
      name: 'meridian_access_problem',
      help: 'Whether something that access depends on does not work: files, tokens, plans, usage, shared.',
      type: 'gauge',
      across: 'max',
      samples: (['files', 'tokens', 'plans', 'usage', 'shared'] as const).map(topic => ({
        labels: { topic },
        value: Number(access.problem(topic) !== undefined),
      })),
    },
  ];
}
