/** An area in which statutory time differs from the zone map, or zones overlap: the statutory zone is not the map's first. */
interface Statute {
  /** The first zone on the map. */
  readonly mapped: string;
  /** The zone whose time the statute prescribes. */
  readonly statutory: string;
  /** The vertices of the area, `[longitude, latitude]` in degrees; null for all of the mapped zone. */
  readonly area: readonly (readonly [longitude: number, latitude: number])[] | null;
  readonly source: string;
}

export const STATUTES: readonly Statute[] = [
  {
    mapped: 'Asia/Urumqi',
    statutory: 'Asia/Shanghai',
    area: null,
    source:
      'China has one standard time, UTC+8, since 1949; in Xinjiang another is in informal use besides (tzdata, file `asia`, ' +
      'comments on Asia/Shanghai and Asia/Urumqi)',
  },
  {
    // The part of the regional county of Minganie east of 63° W. Its limit in the east follows the Natashquan River; here it is
    // the meridian of the mouth, between the villages of Pointe-Parent (61.79° W) and Kegaska (61.27° W).
    mapped: 'America/Blanc-Sablon',
    statutory: 'America/Toronto',
    area: [
      [-63.5, 49.5],
      [-61.72, 49.5],
      [-61.72, 52.5],
      [-63.5, 52.5],
    ],
    source:
      'Legal Time Act, CQLR c T-5.1, s. 1: Eastern time applies to all of the regional county municipality of Minganie ' +
      '(https://www.legisquebec.gouv.qc.ca/en/document/cs/T-5.1)',
  },
];

const BY_MAPPED_ZONE = new Map(STATUTES.map(statute => [statute.mapped, statute]));

/** The zone of statutory time at a place, given its zone on the map. Longitude comes first, as in the areas. */
export function statutoryZone(mapped: string, longitude: number, latitude: number): string {
  const statute = BY_MAPPED_ZONE.get(mapped);
  if (statute === undefined) return mapped;
  const applies = statute.area === null || contains(statute.area, longitude, latitude);
  return applies ? statute.statutory : mapped;
}

/** Whether a line eastward from a place crosses the edges of an area an odd number of times, i.e. the area contains it. */
function contains(area: NonNullable<Statute['area']>, longitude: number, latitude: number): boolean {
  let isInside = false;
  for (const [index, [x, y]] of area.entries()) {
    const [previousX, previousY] = area.at(index - 1)!; // −1 is the last vertex
    if (y > latitude === previousY > latitude) continue;
    if (longitude < x + ((latitude - y) / (previousY - y)) * (previousX - x)) isInside = !isInside;
  }
  return isInside;
}
