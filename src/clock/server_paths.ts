/** Where the time is asked for. */
export const CURRENT_PATH = '/v1/time/current';

/** Where clocks are asked for. */
export const CLOCK_PATH = '/v1/time/clock';

/** Where a page finds what brings its clocks to life. */
export interface AssetPaths {
  readonly stylesheet: string;
  readonly script: string;
}

/** Where that is on a server. */
export const ASSET_PATHS: AssetPaths = {
  stylesheet: `${CLOCK_PATH}/assets/v1/clock.css`,
  script: `${CLOCK_PATH}/assets/v1/clock.js`,
};
