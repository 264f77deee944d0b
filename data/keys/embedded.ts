import roots from './roots.json' with { type: 'json' };

/** The public keys that bundles of the publisher are signed with; empty before the ceremony that `data/README.md` describes. */
export const ROOT_KEYS: {
  readonly version: number;
  readonly threshold: number;
  readonly keys: readonly string[];
} = roots;
