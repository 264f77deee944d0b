// Set by `data/build.ts`; a server that runs from its sources has neither.
declare const MERIDIAN_VERSION: string | undefined;
declare const MERIDIAN_COMMIT: string | undefined;

/** The version and commit of this build. */
export const BUILD = {
  version: typeof MERIDIAN_VERSION === 'string' ? MERIDIAN_VERSION : 'development',
  commit: typeof MERIDIAN_COMMIT === 'string' ? MERIDIAN_COMMIT : 'unknown',
} as const;
