import { describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { readOutlines } from '../../data/outlines/embedded.ts';
import { type Grid, traceOutlines } from '../../data/outlines/trace.ts';
import { fc } from '../support/property.ts';
import { testSnapshot } from '../support/service.ts';

type Ring = readonly (readonly [number, number])[];

/** Whether a point is within rings, by the even-odd rule. */
function contains(rings: readonly Ring[], x: number, y: number): boolean {
  let isInside = false;
  for (const ring of rings) {
    for (const [index, [toX, toY]] of ring.entries()) {
      const [fromX, fromY] = ring.at(index - 1)!;
      if (fromY > y !== toY > y && x < fromX + ((y - fromY) / (toY - fromY)) * (toX - fromX))
        isInside = !isInside;
    }
  }
  return isInside;
}

const grids: fc.Arbitrary<Grid> = fc
  .record({ width: fc.integer({ min: 1, max: 8 }), height: fc.integer({ min: 1, max: 8 }) })
  .chain(({ width, height }) =>
    fc
      .array(fc.integer({ min: 0, max: 3 }), { minLength: width * height, maxLength: width * height })
      .map(regions => ({ width, height, regions: Uint16Array.from(regions) })),
  );

describe('outlines of regions', () => {
  test('contain exactly the cells of their region if nothing is simplified', () => {
    fc.assert(
      fc.property(grids, grid => {
        const outlines = traceOutlines(grid, 0);
        for (const [cell, region] of grid.regions.entries()) {
          const [x, y] = [(cell % grid.width) + 0.5, Math.floor(cell / grid.width) + 0.5];
          for (const other of [1, 2, 3])
            expect(contains(outlines.get(other) ?? [], x, y)).toBe(other === region);
        }
      }),
    );
  });

  test('share corners between neighbours, however simplified: no gaps and no overlaps', () => {
    fc.assert(
      fc.property(grids, fc.constantFrom(0.5, 0.9, 2), (grid, tolerance) => {
        const exact = traceOutlines(grid, 0);
        const simplified = traceOutlines(grid, tolerance);
        const removed = new Set<string>();
        const kept = new Set<string>();
        for (const [region, rings] of exact) {
          const remaining = new Set((simplified.get(region) ?? []).flat().map(String));
          // A region whose ring became a line has vanished completely.
          if ((simplified.get(region)?.length ?? 0) < rings.length) continue;
          for (const corner of rings.flat().map(String)) (remaining.has(corner) ? kept : removed).add(corner);
        }
        expect([...removed].filter(corner => kept.has(corner))).toEqual([]);
      }),
    );
  });
});

/** The rings of the artifact's paths by zone name, in tenths of a degree. */
function readRings(svg: string): Map<string, Ring[]> {
  return new Map(
    [...svg.matchAll(/ id="([^"]+)" d="([^"]*)"/g)].map(([, name, path]) => [
      name!,
      path!.split('z').filter(Boolean).map(ringOf),
    ]),
  );
}

function ringOf(path: string): Ring {
  const [x, y, ...steps] = [...path.matchAll(/-?\d+/g)].map(([number]) => Number(number)) as [
    number,
    number,
    ...number[],
  ];
  const ring: [number, number][] = [[x, y]];
  for (let index = 0; index < steps.length; index += 2) {
    const [lastX, lastY] = ring.at(-1)!;
    ring.push([lastX + steps[index]!, lastY + steps[index + 1]!]);
  }
  return ring;
}

describe('the outlines of the zones', () => {
  const svg = new TextDecoder().decode(readOutlines());

  test('are at most 300 KB compressed', () => {
    expect(gzipSync(svg).length).toBeLessThan(300_000);
  });

  test('have places all over the world in their zones, except within a sixth of a degree of a border', async () => {
    const { boundaries, zones } = testSnapshot();
    await boundaries.load();
    const rings = [...readRings(svg)].map(([zone, ofZone]) => {
      const ys = ofZone.flat().map(([, y]) => y);
      return { zone, ofZone, north: Math.min(...ys), south: Math.max(...ys) };
    });
    const misplaced: string[] = [];
    let compared = 0;
    for (let latitude = -55; latitude < 80; latitude += 3.1) {
      for (let longitude = -179; longitude < 179; longitude += 4.3) {
        const around = [-0.17, 0, 0.17].flatMap(north =>
          [-0.17, 0, 0.17].map(east => boundaries.get().zoneNameAt(latitude + north, longitude + east)),
        );
        if (new Set(around).size > 1) continue;
        compared++;
        const name = around[0]!;
        const [x, y] = [(longitude + 180) * 10, (90 - latitude) * 10];
        const found = rings
          .filter(({ north, south, ofZone }) => y > north && y < south && contains(ofZone, x, y))
          .map(({ zone }) => zone);
        const expected = name.startsWith('Etc/') ? [] : [zones.find(name)!.canonicalName];
        if (!Bun.deepEquals(found, expected))
          misplaced.push(`${latitude} ${longitude}: ${found}, not ${expected}`);
      }
    }
    expect(compared).toBeGreaterThan(3000);
    expect(misplaced).toEqual([]);
  });
});
