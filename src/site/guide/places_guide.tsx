import { Html } from '@elysiajs/html';

/** The selectors, and what answers show for each of them. */
export function PlacesGuide(): JSX.Element {
  return (
    <>
      <p>
        A request names at most one place. Selectors of more than one kind are <code>AMBIGUOUS_TARGET</code>.
      </p>
      <table class="reference">
        <thead>
          <tr>
            <th scope="col">Selector</th>
            <th scope="col">
              <code>timezone</code>
            </th>
            <th scope="col">
              <code>iso_local</code>
            </th>
            <th scope="col">
              Zone in <code>human</code>
            </th>
          </tr>
        </thead>
        <tbody>
          <SelectorRow
            selector="tz, ip, lat and lon, auto_tz"
            timezone="canonical name"
            local="local, with its offset"
            zone="the name"
          />
          <SelectorRow selector="offset" timezone="null" local="with that offset" zone="UTC-04:00" />
          <SelectorRow selector="utc=true" timezone="UTC" local="with +00:00" zone="UTC" />
          <SelectorRow selector="none" timezone="null" local="null" zone="UTC" />
        </tbody>
      </table>
      <p>
        <code>tz</code> takes every name of the{' '}
        <a href="https://www.iana.org/time-zones">IANA time zone database</a>, older ones included, in any
        letter case. The answer has the canonical name: <code>US/Eastern</code> becomes{' '}
        <code>America/New_York</code>. A zone that a country has for its own keeps its name, as{' '}
        <code>Europe/Oslo</code> does. Zones come from the tzdata inside this server, never from its operating
        system or runtime.
      </p>
      <p>
        Where a route takes a list, a comma makes one of <code>tz</code>, <code>ip</code> or{' '}
        <code>offset</code>. The answer is an array in the order of the list, repeats included; its status is
        200 even where an entry fails, which then holds the error in its place.
      </p>
    </>
  );
}

interface SelectorRowProps {
  readonly selector: string;
  readonly timezone: string;
  readonly local: string;
  readonly zone: string;
}

function SelectorRow({ selector, timezone, local, zone }: SelectorRowProps): JSX.Element {
  return (
    <tr>
      <th scope="row" safe>
        {selector}
      </th>
      <td safe>{timezone}</td>
      <td safe>{local}</td>
      <td safe>{zone}</td>
    </tr>
  );
}
