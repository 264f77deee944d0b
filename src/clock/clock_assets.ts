/** Where a page finds what brings its clocks to life. */
export interface ClockAssets {
  readonly stylesheet: string;
  readonly script: string;
}

/** Where they are on this server. */
export const ASSET_PATHS: ClockAssets = {
  stylesheet: '/v1/time/clock/assets/v1/clock.css',
  script: '/v1/time/clock/assets/v1/clock.js',
};
