/** The paths of the API description, the pages and what they are made of. */
export const SITE_PATHS = [
  '/',
  '/docs',
  '/clocks',
  '/openapi.json',
  '/assets/pages.css',
  '/assets/pages.js',
  '/assets/icon.svg',
] as const;
/** One of these paths. */
export type SitePath = (typeof SITE_PATHS)[number];
