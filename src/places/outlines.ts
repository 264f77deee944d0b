/** The outlines of the zones on a world map. */
export interface ZoneOutlines {
  /** An SVG with a path for each zone, whose id is its name, in tenths of a degree from 90° N 180° W. */
  readonly svg: string;
  /** The canonical names of its zones, sorted. */
  readonly zoneNames: readonly string[];
}

/** Decodes a file written by `data/outlines/compile.ts`. */
export function decodeOutlines(bytes: Uint8Array): ZoneOutlines {
  const svg = new TextDecoder().decode(bytes);
  return { svg, zoneNames: [...svg.matchAll(/ id="([^"]+)"/g)].map(match => match[1]!) };
}
