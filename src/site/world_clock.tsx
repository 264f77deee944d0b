import { Html } from '@elysiajs/html';

/** From west to east, so that the marks of the table lean like the terminator. */
const PLACES = [
  { zone: 'America/Los_Angeles', name: 'Los Angeles' },
  { zone: 'America/New_York', name: 'New York' },
  { zone: 'America/Sao_Paulo', name: 'São Paulo' },
  { zone: 'Europe/London', name: 'London' },
  { zone: 'Africa/Nairobi', name: 'Nairobi' },
  { zone: 'Asia/Kolkata', name: 'Kolkata' },
  { zone: 'Asia/Tokyo', name: 'Tokyo' },
  { zone: 'Pacific/Auckland', name: 'Auckland' },
];

interface WorldClockProps {
  readonly isKeyed: boolean;
  /** The most entries that the server takes in a list. */
  readonly maxBulk: number;
}

/**
 * What the clocks of the world show. The script fills it in from one request to this server and keeps it going;
 * without script it stays out of sight.
 */
export function WorldClock({ isKeyed, maxBulk }: WorldClockProps): JSX.Element {
  // One entry of the list is left for where the visitor is.
  const places = PLACES.slice(0, Math.max(1, maxBulk - 1));
  return (
    <div class="world" data-world-clock>
      <p class="now">
        <span class="now-place">UTC</span>
        <time class="now-time">‒‒:‒‒:‒‒</time>
        <span class="now-date">&nbsp;</span>
      </p>
      <table>
        <caption class="unseen">The time around the world</caption>
        <thead class="unseen">
          <tr>
            <th scope="col">Place</th>
            <th scope="col">Part of the day</th>
            <th scope="col">Time</th>
            <th scope="col">Day</th>
            <th scope="col">Offset</th>
          </tr>
        </thead>
        <tbody>
          {places.map(({ zone, name }) => (
            <tr data-zone={zone}>
              <th scope="row" safe>
                {name}
              </th>
              <td class="world-track">
                <span class="track">
                  <span class="mark" />
                </span>
              </td>
              <td class="world-time">‒‒:‒‒</td>
              <td class="world-day"></td>
              <td class="world-offset"></td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="drift" data-drift>
        {isKeyed ? 'The clocks start when there is an API key in the field above.' : <>&nbsp;</>}
      </p>
    </div>
  );
}
