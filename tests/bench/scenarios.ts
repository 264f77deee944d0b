/** A path of meridian whose speed is measured, and what it is held against. */
export interface Scenario {
  readonly name: string;
  readonly path: string;
  /**
   * `json`, `bytes`: the bare server with that answer; `one signature`: the route without `sign=true` and one native
   * signature a request; otherwise the name of another scenario.
   */
  readonly against: 'json' | 'bytes' | 'one signature' | (string & {});
  /** The ratio of requests a second that is wanted at least. */
  readonly wanted: number;
  /** Asked with an API key of a plan that limits its rate and its month. */
  readonly keyed?: boolean;
  /** Payloads in an answer, where a bulk is counted by them. */
  readonly payloads?: number;
}

const TEN_ZONES = [
  'Europe/Paris,America/New_York,Asia/Tokyo,Australia/Sydney,Africa/Cairo',
  'America/Sao_Paulo,Asia/Kolkata,Pacific/Auckland,Europe/Dublin,America/Los_Angeles',
].join(',');
const HUNDRED_ZONES = Array.from({ length: 10 }, () => TEN_ZONES).join(',');

export const SCENARIOS: readonly Scenario[] = [
  { name: 'current tz', path: '/v1/time/current?tz=Europe/Paris', against: 'json', wanted: 0.85 },
  {
    name: 'current tz, same bytes',
    path: '/v1/time/current?tz=Europe/Paris',
    against: 'bytes',
    wanted: 0.85,
  },
  {
    name: 'current tz, with a key',
    path: '/v1/time/current?tz=Europe/Paris',
    keyed: true,
    against: 'current tz',
    wanted: 0.9,
  },
  {
    name: 'convert',
    path: '/v1/time/convert?iso=2026-04-15T13:30:47&source_tz=America/New_York&tz=Asia/Tokyo',
    against: 'bytes',
    wanted: 0.85,
  },
  { name: 'add', path: '/v1/time/add?days=1&hours=-3&tz=Asia/Tokyo', against: 'bytes', wanted: 0.85 },
  { name: 'calendar', path: '/v1/time/calendar?week=true&tz=Asia/Tokyo', against: 'bytes', wanted: 0.85 },
  { name: 'dst', path: '/v1/time/dst?next=true&tz=Europe/Paris', against: 'bytes', wanted: 0.85 },
  { name: 'current ip', path: '/v1/time/current?ip=8.8.8.8', against: 'current tz', wanted: 0.8 },
  {
    name: 'current ip, IPv6',
    path: '/v1/time/current?ip=2001:4860:4860::8888',
    against: 'current tz',
    wanted: 0.8,
  },
  {
    name: 'current lat lon',
    path: '/v1/time/current?lat=48.8566&lon=2.3522',
    against: 'current tz',
    wanted: 0.8,
  },
  {
    name: 'current lat lon, border',
    path: '/v1/time/current?lat=51.4430&lon=4.9340',
    against: 'current tz',
    wanted: 0.8,
  },
  {
    name: 'diff',
    path: '/v1/time/diff?from=iso=1970-01-01&to=iso=2100-12-31',
    against: 'current tz',
    wanted: 0.85,
  },
  {
    name: 'diff, business days of TW',
    path: '/v1/time/diff?from=iso=1970-01-01&to=iso=2100-12-31&business_days=true&holiday_country=TW',
    against: 'diff',
    wanted: 0.85,
  },
  {
    name: 'elapsed',
    path: '/v1/time/elapsed?iso=2026-04-15T13:30:47&source_tz=America/New_York',
    against: 'bytes',
    wanted: 0.85,
  },
  {
    name: 'current tz, signed',
    path: '/v1/time/current?tz=Europe/Paris&sign=true',
    against: 'one signature',
    wanted: 0.85,
  },
  {
    name: 'clock, analog',
    path: '/v1/time/clock?style=analog-station&tz=Europe/Paris',
    against: 'current tz',
    wanted: 0.5,
  },
  {
    name: 'clock, segments',
    path: '/v1/time/clock?style=digital-segment-red&tz=Europe/Paris',
    against: 'current tz',
    wanted: 0.5,
  },
  {
    name: 'clock, a format',
    path: '/v1/time/clock?style=digital-minimal&tz=Europe/Paris&format=%25A+%25H:%25M',
    against: 'current tz',
    wanted: 0.5,
  },
  {
    name: 'bulk of 100',
    path: `/v1/time/current?tz=${HUNDRED_ZONES}`,
    against: 'bytes',
    wanted: 0,
    payloads: 100,
  },
];
