/** What a record of a location database says about where an address is. */
export type Placement =
  | { readonly zoneName: string }
  | { readonly latitude: number; readonly longitude: number };

/** The fields that may place an address; any of them may be absent, or be anything. */
interface Fields {
  readonly time_zone?: unknown;
  readonly timezone?: unknown;
  readonly latitude?: unknown;
  readonly longitude?: unknown;
  readonly location?: unknown;
}

/**
 * Where the record of an address places it: by `time_zone` (our layout), `location.time_zone` (MaxMind's) or `timezone`
 * (ip-location-db's), else by the latitude and longitude of either. Undefined where it does not.
 */
export function placementOf(record: unknown): Placement | undefined {
  if (!hasFields(record)) return undefined;
  const location = hasFields(record.location) ? record.location : {};
  const zoneName = [record.time_zone, location.time_zone, record.timezone].find(isName);
  return zoneName === undefined ? (coordinatesOf(location) ?? coordinatesOf(record)) : { zoneName };
}

function coordinatesOf({ latitude, longitude }: Fields): Placement | undefined {
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return undefined;
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : undefined;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function hasFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
