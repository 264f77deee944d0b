import { Html } from '@elysiajs/html';
import { textsOf } from '../api/slices.ts';
import { nameOfZone } from '../clock/clock_config.ts';
import { formatOffset } from '../common/iso_text.ts';
import { zoneTarget } from '../operations/target.ts';
import type { ZoneOutlines } from '../places/outlines.ts';
import { momentAt } from '../text/time_payload.ts';
import type { Zone } from '../zones/zone.ts';
import { drawnInTurns, layout, type PageInput } from './layout.tsx';
import { Field, Link, Section, Submit, TYPED } from './parts.tsx';
import { nightPath } from './sun.ts';

/** The visible part of the world, from 84° N to 58° S, in tenths of a degree. */
const VIEW = '0 60 3600 1420';
/** Zones an hour apart have different tints, repeated every four hours. */
const TINTS = 4;
const SECONDS_PER_HOUR = 3600;
const DEGREES = { ...TYPED, inputmode: 'decimal' } as const;
/** Rendering a zone takes about 10 µs. */
const ZONES_PER_SLICE = 50;

/** The map of all zones with day and night, place search, and a list. `digest`: the digest of the outlines file. */
export const mapPage =
  ({ zoneNames }: ZoneOutlines, digest: string) =>
  async (input: PageInput): Promise<string> => {
    const { snapshot, nowMs, isKeyed } = input;
    const source = `/assets/outlines.svg?v=${digest}`;
    const zones = zoneNames.map(name => snapshot.zones.find(name)).filter(zone => zone !== undefined); // an operator's zone data may lack some
    // Other requests are served between slices of zones, since rendering the map takes some milliseconds each minute.
    const drawn = await textsOf(zones, zone => String(mapZone(zone, nowMs, source)), ZONES_PER_SLICE);
    const byArea = Map.groupBy(zones, ({ name }) => name.slice(0, name.indexOf('/')));
    const areas = await drawnInTurns([...byArea].map(entry => () => areaOf(...entry)));
    const title = 'Map of time zones · meridian';
    return layout(
      { path: '/map', title, description: 'The time zones of the world, by day and night' },
      input,
      <main id="content" class="map" data-map>
        <header>
          <h1>Time zones of the world</h1>
          <p class="lead">
            Choose a place on the map, or search for it. The shaded area is where it is night now.
          </p>
        </header>
        <form class="map-search" action="/find" data-map-search>
          <Field {...TYPED} id="map-place" name="q" label="Place" placeholder="Perth" maxlength="64" />
          <Field {...DEGREES} id="map-lat" name="lat" label="Latitude" placeholder="48.86" />
          <Field {...DEGREES} id="map-lon" name="lon" label="Longitude" placeholder="2.35" />
          <Submit label="Show" />
        </form>
        <p class="map-found" role="status" data-map-found>
          {isKeyed ? 'Enter an API key in the field above to look up places.' : <>&nbsp;</>}
        </p>
        <section class="map-frame" aria-label="Map" tabindex="0">
          <svg
            viewBox={VIEW}
            data-map-world
            aria-label="The world's time zones; the same zones are listed below"
          >
            <g class="map-zones">{drawn}</g>
            <path class="map-night" d={nightPath(nowMs)} data-map-night />
            <path class="map-pin" d="" data-map-pin />
          </svg>
        </section>
        <p class="map-hint" aria-hidden="true" data-map-hint>
          &nbsp;
        </p>
        <Section class="zone-list" id="zones" title="All zones">
          {areas}
        </Section>
      </main>,
    );
  };

function areaOf(area: string, zones: readonly Zone[]): JSX.Element {
  return (
    <details>
      <summary safe>{area}</summary>
      <ul>
        {zones.map(({ name }) => (
          <li>
            <Link href={`/zone/${name}`} text={name.slice(area.length + 1).replaceAll('_', ' ')} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** A zone that links to its page. Not in the tab order, since the search and the list are accessible by keyboard. */
function mapZone(zone: Zone, nowMs: number, source: string): JSX.Element {
  const { offsetSeconds, abbreviation } = momentAt(nowMs, zoneTarget(zone));
  const hours = Math.floor(offsetSeconds / SECONDS_PER_HOUR);
  const isWhole = offsetSeconds % SECONDS_PER_HOUR === 0;
  const tint = isWhole ? String((hours + 2 * TINTS * TINTS) % TINTS) : 'part';
  const title = `${nameOfZone(zone.name)}: UTC${formatOffset(offsetSeconds)}${/^[+-]/.test(abbreviation) ? '' : `, ${abbreviation}`}`;
  return (
    <a href={`/zone/${zone.name}`} tabindex="-1" class={`tint-${tint}`} aria-label={title}>
      <title safe>{title}</title>
      <use href={`${source}#${zone.name}`} />
    </a>
  );
}
