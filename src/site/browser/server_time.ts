import { Stopwatch } from '../../clock/browser/time_source.ts';
import { exchange, hasAccess } from './page.ts';

/** The used members of a time of `/v1/time/current`, or the error of an unknown zone. */
type LocalTime = { readonly unix_ms: number; readonly iso_local: string } | { readonly error: unknown };

const SECOND_MS = 1000;
const RETRY_MS = 60_000;
const QUARTER_MS = 900_000;

/**
 * Calls `show` every second with the server's time, or with the device's before the first response. Requests the time in
 * `zones` now, when the page becomes visible or a key is entered, after sleep, and at each quarter hour, which is when clocks
 * change; then calls `apply` with the responses, which are errors for unknown zones, and the duration of the round trip.
 */
export function followServer(
  zones: readonly string[],
  show: (nowMs: number) => void,
  apply?: (times: readonly LocalTime[], tripMs: number, nowMs: number) => void,
): void {
  const stopwatch = new Stopwatch();
  /** The server's clock minus the stopwatch. */
  let aheadMs: number | undefined;
  let [dueMs, knownSleeps] = [0, 0];

  const synchronise = async () => {
    if (!hasAccess() || document.hidden) return;
    const sentMs = stopwatch.read();
    dueMs = sentMs + RETRY_MS;
    knownSleeps = stopwatch.sleeps;
    const request = `/v1/time/current?tz=${encodeURIComponent(zones.join(','))}`;
    const { status, durationMs: tripMs, body } = await exchange(request);
    const times: LocalTime[] = status === 200 ? [JSON.parse(body)].flat() : [];
    const known = times.find(time => 'unix_ms' in time);
    if (known === undefined) return;
    // The response was created about half a round trip ago.
    aheadMs = known.unix_ms - sentMs - tripMs / 2;
    const readMs = stopwatch.read();
    const nowMs = readMs + aheadMs;
    dueMs = readMs + QUARTER_MS - (nowMs % QUARTER_MS);
    apply?.(times, tripMs, nowMs);
    show(nowMs);
  };
  // After a failure the clock continues and retries in a minute.
  const trySynchronise = () => void synchronise().catch(() => undefined);

  const tick = () => {
    const readMs = stopwatch.read();
    const nowMs = aheadMs === undefined ? Date.now() : readMs + aheadMs;
    show(nowMs);
    if (readMs >= dueMs || stopwatch.sleeps > knownSleeps) trySynchronise();
    setTimeout(tick, SECOND_MS - (nowMs % SECOND_MS));
  };
  for (const event of ['visibilitychange', 'meridian:key']) document.addEventListener(event, trySynchronise);
  tick();
}
