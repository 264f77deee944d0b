/** A point on the Earth, in degrees; north and east are positive. */
export interface GeoPoint {
  readonly lat: number;
  readonly lon: number;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** 2000-01-01T12:00:00Z */
const J2000_MS = 946_728_000_000;
/** Terrestrial minus universal time, approximately, for 2000 to 2050. */
const DELTA_T_MS = 70_000;
const DEGREE = Math.PI / 180;

const sin = (degrees: number) => Math.sin(degrees * DEGREE);
const cos = (degrees: number) => Math.cos(degrees * DEGREE);

/**
 * The point where the sun is overhead, and half its apparent diameter in degrees, by J. Meeus, Astronomical Algorithms (2nd
 * edition), chapters 12 and 25; within 0.01° between 1900 and 2100.
 */
export function subsolarPoint(epochMs: number): GeoPoint & { readonly radius: number } {
  const centuries = (epochMs + DELTA_T_MS - J2000_MS) / (36_525 * DAY_MS);
  const anomaly = 357.52911 + 35_999.05029 * centuries;
  const centre =
    (1.914602 - 0.004817 * centuries) * sin(anomaly) +
    (0.019993 - 0.000101 * centuries) * sin(2 * anomaly) +
    0.000289 * sin(3 * anomaly);
  const node = 125.04 - 1934.136 * centuries;
  const nutation = -0.00478 * sin(node);
  const longitude = 280.46646 + 36_000.76983 * centuries + centre - 0.00569 + nutation;
  const obliquity = 23.439291 - 0.0130042 * centuries + 0.00256 * cos(node);
  const ascension = Math.atan2(cos(obliquity) * sin(longitude), cos(longitude)) / DEGREE;
  const days = (epochMs - J2000_MS) / DAY_MS;
  const siderealTime = 280.46061837 + 360.98564736629 * days + nutation * cos(obliquity);
  const distanceAu = 1.000001018 * (1 - 0.016708634 * cos(anomaly + centre));
  return {
    lat: Math.asin(sin(obliquity) * sin(longitude)) / DEGREE,
    lon: normalise(ascension - siderealTime),
    radius: 0.26656 / distanceAu,
  };
}

/** An angle between −180° and 180°. */
function normalise(degrees: number): number {
  return degrees - 360 * Math.round(degrees / 360);
}

/** The altitude of the sun's centre above the horizon, in degrees, ignoring the atmosphere. */
function altitudeAt({ lat, lon }: GeoPoint, sun: GeoPoint): number {
  return Math.asin(sin(lat) * sin(sun.lat) + cos(lat) * cos(sun.lat) * cos(lon - sun.lon)) / DEGREE;
}

/** The refraction at the horizon minus the sun's parallax, in degrees. */
const HORIZON_LIFT = 34 / 60 - 8.794 / 3600;

/** The height of the sun's upper limb above the horizon of a place, in degrees, refracted as at the horizon; positive by day. */
export function sunHeight(place: GeoPoint, epochMs: number): number {
  const sun = subsolarPoint(epochMs);
  return altitudeAt(place, sun) + sun.radius + HORIZON_LIFT;
}

/** Civil twilight ends when the sun's centre is this far below the horizon, in degrees. */
const CIVIL_TWILIGHT = 6;

/** The height of the sun's centre above that at the end of civil twilight, in degrees; negative at night. */
export function twilightHeight(place: GeoPoint, epochMs: number): number {
  return altitudeAt(place, subsolarPoint(epochMs)) + CIVIL_TWILIGHT;
}

/** The instants in a range at which a height of the sun changes sign, to the millisecond; none during polar day and night. */
export function crossings(height: typeof sunHeight, place: GeoPoint, fromMs: number, toMs: number) {
  const heightAt = (epochMs: number) => height(place, epochMs);
  const ends = [fromMs, ...culminations(heightAt, place, fromMs, toMs), toMs];
  return ends.slice(1).flatMap((endMs, index) => {
    const startMs = ends[index]!;
    const isRise = heightAt(endMs) > 0;
    return heightAt(startMs) > 0 === isRise ? [] : [{ epochMs: bisect(heightAt, startMs, endMs), isRise }];
  });
}

/** The instants in a range at which the sun is highest and lowest. */
function culminations(
  heightAt: (epochMs: number) => number,
  { lon }: GeoPoint,
  fromMs: number,
  toMs: number,
): number[] {
  const halfDays = ((normalise(lon - subsolarPoint(fromMs).lon) + 180) % 180) / 180;
  const found: number[] = [];
  for (let epochMs = fromMs - (halfDays * DAY_MS) / 2; epochMs < toMs + DAY_MS / 2; epochMs += DAY_MS / 2) {
    const extremeMs = vertexNear(heightAt, epochMs);
    if (extremeMs > fromMs && extremeMs < toMs) found.push(extremeMs);
  }
  return found;
}

/** The vertex of a parabola through the heights around an instant: near the poles it can be minutes from noon or midnight. */
function vertexNear(heightAt: (epochMs: number) => number, epochMs: number): number {
  const stepMs = 20 * MINUTE_MS;
  const [before, middle, after] = [heightAt(epochMs - stepMs), heightAt(epochMs), heightAt(epochMs + stepMs)];
  const shiftMs = (stepMs * (before - after)) / (2 * (before - 2 * middle + after));
  return epochMs + Math.max(-stepMs, Math.min(stepMs, shiftMs || 0));
}

/** The instant between two others at which a height changes sign. */
function bisect(heightAt: (epochMs: number) => number, startMs: number, endMs: number): number {
  const isAfter = (epochMs: number) => heightAt(epochMs) > 0 === isEndPositive;
  const isEndPositive = heightAt(endMs) > 0;
  let [low, high] = [startMs, endMs];
  while (high - low > 1) {
    const middle = (low + high) / 2;
    if (isAfter(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Outlines are in tenths of a degree from 90° N 180° W. */
const UNITS_PER_DEGREE = 10;
const STEP_DEGREES = 3;

/** The coordinates, in degrees, of a point on the map. */
export function coordinatesAt(x: number, y: number) {
  return { lat: 90 - y / UNITS_PER_DEGREE, lon: x / UNITS_PER_DEGREE - 180 };
}

export function pointOf({ lat, lon }: GeoPoint) {
  return { x: (lon + 180) * UNITS_PER_DEGREE, y: (90 - lat) * UNITS_PER_DEGREE };
}

/** The half of the world where the sun is below the horizon, as an SVG path on the map. */
export function nightPath(epochMs: number): string {
  const sun = subsolarPoint(epochMs);
  // At the equinox the terminator is a meridian, whose latitude is undefined.
  const tangent = Math.tan((Math.abs(sun.lat) < 0.01 ? 0.01 : sun.lat) * DEGREE);
  const points: string[] = [];
  for (let lon = -180; lon <= 180; lon += STEP_DEGREES) {
    const { x, y } = pointOf({ lon, lat: Math.atan(-Math.cos((lon - sun.lon) * DEGREE) / tangent) / DEGREE });
    points.push(`${x} ${Math.round(y)}`);
  }
  const pole = pointOf({ lat: tangent > 0 ? -90 : 90, lon: 180 });
  return `M${points.join('L')}V${pole.y}H0z`;
}
