import parts from './runtime_parts.json' with { type: 'json' };

/** The Bun runtime, which is part of every executable it compiles. */
export const RUNTIME = {
  name: 'bun',
  version: Bun.version,
  licence: 'MIT',
  source: 'https://github.com/oven-sh/bun',
} as const;

/** The libraries linked into it, based on its LICENSE.md; licences are SPDX expressions. */
export const RUNTIME_PARTS = parts;
