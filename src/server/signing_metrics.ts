import type { MetricSource } from '../http/metrics.ts';
import type { SigningKeys } from '../signing/key_set.ts';

/** The age of each signing key that is published. */
export function signingMetrics(keys: SigningKeys): MetricSource {
  return () => [
    {
      name: 'meridian_signing_key_age_seconds',
      help: 'Age of each published signing key; the active one signs.',
      type: 'gauge',
      across: 'max',
      samples: keys.current.published.map(({ kid, createdMs }) => ({
        labels: { kid, state: kid === keys.current.active?.kid ? 'active' : 'retained' },
        value: (Date.now() - createdMs) / 1000,
      })),
    },
  ];
}
