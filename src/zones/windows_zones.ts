import { once } from '../common/caching.ts';

/** The territory of a name's default zone. */
export const DEFAULT_TERRITORY = '001';

/** A Windows name, and the zone of each of its territories. */
interface WindowsName {
  readonly name: string;
  readonly zones: ReadonlyMap<string, string>;
}

/**
 * The IANA zones of Windows zone names, from a text with a line for each name, and a field for each territory:
 *
 *     W. Europe Standard Time⇥001 Europe/Berlin⇥AD Europe/Andorra⇥AT Europe/Vienna…
 */
export class WindowsZones {
  readonly #rows: () => readonly WindowsName[];
  /** The zones by lower-case name, then by territory. */
  readonly #byName: () => ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly #territories = once(
    () => new Set([...this.#byName().values()].flatMap(zones => [...zones.keys()])),
  );

  constructor(pack: Uint8Array) {
    this.#rows = once(() => decode(new TextDecoder().decode(pack)));
    this.#byName = once(() => new Map(this.#rows().map(({ name, zones }) => [name.toLowerCase(), zones])));
  }

  /**
   * The IANA name for a case-insensitive Windows name in a territory; the name's default if there is no territory or CLDR lists
   * no zone for it (UTS #35, part 6, §5.2). Undefined for an unknown name.
   */
  zoneNameOf(name: string, territory: string = DEFAULT_TERRITORY): string | undefined {
    const zones = this.#byName().get(name.toLowerCase());
    return zones?.get(territory) ?? zones?.get(DEFAULT_TERRITORY);
  }

  /** All IANA names that Windows names refer to. */
  zoneNames(): readonly string[] {
    return [...this.#byName().values()].flatMap(zones => [...zones.values()]);
  }

  /** The sorted Windows names, in their original case, that refer to any of some IANA names by default or in a territory. */
  namesOf(zoneNames: readonly string[]): string[] {
    return this.#rows()
      .filter(({ zones }) => zones.values().some(zone => zoneNames.includes(zone)))
      .map(({ name }) => name);
  }

  /** Whether a territory, in capitals, has a zone under any name. */
  hasTerritory(territory: string): boolean {
    return this.#territories().has(territory);
  }
}

function decode(text: string): WindowsName[] {
  return text
    .trimEnd()
    .split('\n')
    .map(line => {
      const [name = '', ...fields] = line.split('\t');
      return { name, zones: new Map(fields.map(field => field.split(' ') as [string, string])) };
    });
}
