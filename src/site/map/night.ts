import { subsolarPoint } from '../../common/sun.ts';

/** Outlines are in tenths of a degree from 90° N 180° W. */
const UNITS_PER_DEGREE = 10;
const DEGREE = Math.PI / 180;
const STEP_DEGREES = 3;

/** The coordinates, in degrees, of a point on the map. */
export function coordinatesAt(x: number, y: number) {
  return { lat: 90 - y / UNITS_PER_DEGREE, lon: x / UNITS_PER_DEGREE - 180 };
}

/** The point on the map with the given coordinates. */
export function pointOf({ lat, lon }: { readonly lat: number; readonly lon: number }) {
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
