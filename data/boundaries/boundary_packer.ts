import {
  BOUNDARY_MAGIC,
  ENTRY_CELL,
  ENTRY_NODE,
  ENTRY_SEA,
  ENTRY_ZONE,
} from '../../src/places/boundaries.ts';
import { UNITS_PER_DEGREE } from '../../src/places/boundary_cell.ts';
import { ByteWriter } from '../byte_writer.ts';

/** A closed ring of vertices, `[longitude, latitude]` in degrees; the last equals the first. */
export type Ring = readonly (readonly number[])[];

/** A polygon of one zone: an outer ring and its holes. */
export interface Shape {
  readonly zone: number;
  readonly rings: readonly Ring[];
}

/** A part of the world: open sea, a zone or list of zones by number, a cell by number, or four quarters, counter-clockwise from the north-east. */
export type Quarter =
  | { readonly kind: 'sea' }
  | { readonly kind: 'zone'; readonly zone: number }
  | { readonly kind: 'cell'; readonly cell: number }
  | { readonly kind: 'quarters'; readonly quarters: readonly Quarter[] };

/** Edges per chain. Longer chains cause more unnecessary reads, shorter ones make the file larger. */
const EDGES_PER_CHAIN = 128;

/** Writes the file that `openBoundaries` reads; the layout is described there and in `boundary_cell.ts`. */
export class BoundaryPacker {
  readonly #cells = new ByteWriter();
  readonly #cellStarts: number[] = [];
  readonly #entries: number[] = [];

  /** Adds a cell and returns its number. */
  addCell(shapes: readonly Shape[]): number {
    const number = this.#cellStarts.push(this.#cells.length) - 1;
    this.#cells.unsigned(shapes.length);
    for (const { zone, rings } of shapes) {
      const chains = chainsOf(rings);
      this.#cells.unsigned(zone);
      this.#cells.unsigned(chains.length);
      this.#cells.bytes(chains);
    }
    return number;
  }

  /** The file for a world of these quarters; `zoneNames` has the names for each zone number. */
  pack(zoneNames: readonly (readonly string[])[], world: readonly Quarter[]): Uint8Array {
    this.#entryOf({ kind: 'quarters', quarters: world });
    const names = new TextEncoder().encode(zoneNames.map(names => names.join(' ')).join('\n'));
    const file = new ByteWriter();
    file.bytes(new TextEncoder().encode(BOUNDARY_MAGIC));
    file.uint32le(this.#entries.length / 4);
    file.uint32le(this.#cellStarts.length);
    file.uint32le(names.length);
    for (const entry of this.#entries) file.uint32le(entry);
    for (const start of [...this.#cellStarts, this.#cells.length]) file.uint32le(start);
    file.bytes(names);
    file.bytes(this.#cells.toBytes());
    return file.toBytes();
  }

  #entryOf(quarter: Quarter): number {
    switch (quarter.kind) {
      case 'sea':
        return ENTRY_SEA;
      case 'zone':
        return quarter.zone * 4 + ENTRY_ZONE;
      case 'cell':
        return quarter.cell * 4 + ENTRY_CELL;
      case 'quarters': {
        const first = this.#entries.push(0, 0, 0, 0) - 4;
        for (const [index, child] of quarter.quarters.entries()) {
          this.#entries[first + index] = this.#entryOf(child);
        }
        return first + ENTRY_NODE; // the number of the node, first / 4, times 4
      }
    }
  }
}

function chainsOf(rings: readonly Ring[]): Uint8Array {
  const out = new ByteWriter();
  let southBefore = 0;
  let westBefore = 0;
  for (const ring of rings) {
    const xs = ring.map(vertex => unitsOf(vertex[0]!));
    const ys = ring.map(vertex => unitsOf(vertex[1]!));
    for (let first = 0; first < ring.length - 1; first += EDGES_PER_CHAIN) {
      const last = Math.min(first + EDGES_PER_CHAIN, ring.length - 1);
      const south = Math.min(...ys.slice(first, last + 1));
      const west = Math.min(...xs.slice(first, last + 1));
      const chain = new ByteWriter();
      chain.signed(south - southBefore);
      chain.signed(west - westBefore);
      chain.unsigned(Math.max(...ys.slice(first, last + 1)) - south);
      chain.unsigned(ys[first]! - south);
      chain.unsigned(xs[first]! - west);
      for (let index = first + 1; index <= last; index++) {
        chain.signed(xs[index]! - xs[index - 1]!);
        chain.signed(ys[index]! - ys[index - 1]!);
      }
      out.unsigned(chain.length);
      out.bytes(chain.toBytes());
      southBefore = south;
      westBefore = west;
    }
  }
  return out.toBytes();
}

/** Converts to whole millionths of a degree. @throws Error if that loses precision */
function unitsOf(degrees: number): number {
  const units = Math.round(degrees * UNITS_PER_DEGREE);
  if (units / UNITS_PER_DEGREE !== degrees)
    throw new Error(`${degrees}° is finer than a millionth of a degree`);
  return units;
}
