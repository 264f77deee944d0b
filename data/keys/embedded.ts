import roots from './roots.json' with { type: 'json' };

/** The public keys of the publisher's bundles; empty before the ceremony described in `data/README.md`. */
export const ROOT_KEYS: {
  readonly version: number;
  readonly threshold: number;
  readonly keys: readonly string[];
} = roots;
