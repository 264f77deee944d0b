/** Where a `ZoneDatabase` has its zones from: the pack, or a zoneinfo directory. */
export interface ZoneSource {
  /** The release of tzdata: `2026f`. */
  readonly version: string;
  /** The TZif file of every name that has one of its own. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Names that stand for another name. */
  readonly links: ReadonlyMap<string, string>;
  /** The ISO 3166 code of each zone of `zone.tab`. */
  readonly countryOfZone: ReadonlyMap<string, string>;
  /** The English name of each ISO 3166 code. */
  readonly countryNames: ReadonlyMap<string, string>;
}
