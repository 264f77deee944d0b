// Defined by `data/build_executable.ts`; undefined when running from source.
declare const MERIDIAN_VERSION: string | undefined;
declare const MERIDIAN_COMMIT: string | undefined;

/** The version and commit of this build. */
export const BUILD = {
  version: typeof MERIDIAN_VERSION === 'string' ? MERIDIAN_VERSION : 'development',
  commit: typeof MERIDIAN_COMMIT === 'string' ? MERIDIAN_COMMIT : 'unknown',
} as const;
