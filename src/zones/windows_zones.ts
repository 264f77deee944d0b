import { once } from '../common/once.ts';

/** A row of CLDR's `windowsZones`. */
export interface WindowsZone {
  /** `W. Europe Standard Time` */
  readonly name: string;
  /** ISO 3166-1 alpha-2 code, `001` for the default of the name, `ZZ` for zones without a country. */
  readonly territory: string;
  /** IANA name. */
  readonly zone: string;
}

const DEFAULT_TERRITORY = '001';

/**
 * Encodes a pack: a text with a line for each Windows name, and a field for each of its territories.
 *
 *     W. Europe Standard Time⇥001 Europe/Berlin⇥AD Europe/Andorra⇥AT Europe/Vienna…
 *
 * Throws an `Error` for a name without a default.
 */
export function encodeWindowsZones(rows: readonly WindowsZone[]): Uint8Array {
  const lines = [...Map.groupBy(rows, ({ name }) => name)].map(([name, ofName]) => {
    if (!ofName.some(({ territory }) => territory === DEFAULT_TERRITORY)) {
      throw new Error(`${name} has no default zone`);
    }
    return [name, ...ofName.map(({ territory, zone }) => `${territory} ${zone}`).sort()].join('\t');
  });
  return new TextEncoder().encode(`${lines.sort().join('\n')}\n`);
}

/** A Windows name, and the zone of each of its territories. */
interface WindowsName {
  readonly name: string;
  readonly zones: ReadonlyMap<string, string>;
}

/** The IANA zones of the names that Windows has for zones. */
export class WindowsZones {
  readonly #rows: () => readonly WindowsName[];
  /** The zones by territory, by name in lower case. */
  readonly #byName: () => ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly #territories = once(
    () => new Set([...this.#byName().values()].flatMap(zones => [...zones.keys()])),
  );

  constructor(pack: Uint8Array) {
    this.#rows = once(() => decode(new TextDecoder().decode(pack)));
    this.#byName = once(() => new Map(this.#rows().map(({ name, zones }) => [name.toLowerCase(), zones])));
  }

  /**
   * The IANA name of a Windows name in any letter case, in a territory; its default for none, and for a territory that CLDR has
   * no zone of this name for (UTS #35, part 6, §5.2). Undefined for an unknown name.
   */
  zoneNameOf(name: string, territory: string = DEFAULT_TERRITORY): string | undefined {
    const zones = this.#byName().get(name.toLowerCase());
    return zones?.get(territory) ?? zones?.get(DEFAULT_TERRITORY);
  }

  /** All IANA names that a Windows name stands for. */
  zoneNames(): readonly string[] {
    return [...this.#byName().values()].flatMap(zones => [...zones.values()]);
  }

  /** The names whose default, or the zone of a territory, is one of some IANA names: in Windows' letter case, sorted. */
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
