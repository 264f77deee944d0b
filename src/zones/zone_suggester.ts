import { editDistance, foldName } from '../common/words.ts';
import type { Zone } from './zone.ts';
import type { ZoneSource } from './zone_pack.ts';

const MAX_SUGGESTIONS = 3;
const MAX_READ_CHARACTERS = 64; // longer than any zone name
const MIN_PREFIX_CHARACTERS = 3;
const MAX_DISTANCE = 3;

/** A zone name, normalised for comparison. */
interface Candidate {
  readonly key: string;
  readonly canonicalName: string;
}

/** Suggests zones for a name that is not a zone: a typo, a city, a country, a prefix. */
export class ZoneNameSuggester {
  readonly #candidates: readonly Candidate[];
  /** Canonical names by the keys of full names, their last parts (`newyork`) and countries. */
  readonly #exact = new Map<string, Set<string>>();

  constructor(zones: readonly Zone[], { countryOfZone, countryNames }: ZoneSource) {
    const candidates: Candidate[] = [];
    const add = (text: string, canonicalName: string) => {
      const key = keyOf(text);
      candidates.push({ key, canonicalName });
      this.#addExact(key, canonicalName);
    };
    for (const { name, canonicalName } of zones) {
      add(name, canonicalName);
      if (name.includes('/')) add(lastPart(name), canonicalName);
    }
    this.#candidates = candidates;
    for (const [zone, code] of countryOfZone) {
      const country = countryNames.get(code)?.replace(/ *\(.*/, ''); // Korea (South)
      if (country !== undefined) this.#addExact(keyOf(country), zone);
    }
  }

  /** At most three canonical names, nearest first. The cost is bounded, even for long names. */
  suggest(name: string): string[] {
    const text = name.slice(0, MAX_READ_CHARACTERS);
    const key = keyOf(text);
    const lastKey = keyOf(lastPart(text));
    const found =
      this.#exact.get(key) ?? this.#exact.get(lastKey) ?? this.#startingWith(key) ?? this.#near(key, lastKey);
    return [...found].slice(0, MAX_SUGGESTIONS);
  }

  #addExact(key: string, canonicalName: string): void {
    const names = this.#exact.get(key) ?? new Set();
    this.#exact.set(key, names.add(canonicalName));
  }

  /** Names that start with the text: `pst` matches PST8PDT. */
  #startingWith(key: string): Set<string> | undefined {
    if (key.length < MIN_PREFIX_CHARACTERS) return undefined;
    const longer = this.#candidates.filter(candidate => candidate.key.startsWith(key));
    if (longer.length === 0) return undefined;
    longer.sort((a, b) => a.key.length - b.key.length);
    return new Set(longer.map(candidate => candidate.canonicalName));
  }

  #near(key: string, lastKey: string): Set<string> {
    const near: { readonly canonicalName: string; readonly distance: number }[] = [];
    for (const typed of new Set([key, lastKey])) {
      const limit = Math.min(MAX_DISTANCE, Math.floor(typed.length / 3));
      for (const candidate of this.#candidates) {
        const distance = editDistance(typed, candidate.key, limit);
        if (distance <= limit) near.push({ canonicalName: candidate.canonicalName, distance });
      }
    }
    near.sort((a, b) => a.distance - b.distance);
    return new Set(near.map(({ canonicalName }) => canonicalName));
  }
}

/** A folded name without spaces: `São Paulo` and `Sao_Paulo` become `saopaulo`. */
function keyOf(text: string): string {
  return foldName(text).replaceAll(' ', '');
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
