import type { AccessControl } from '../access/access_control.ts';
import type { AccessTopic } from '../access/problem_log.ts';
import { counted } from '../common/counted.ts';
import type { HolidayCalendars } from '../holidays/holiday_calendars.ts';
import type { LazyData } from '../places/lazy_data.ts';
import type { SigningKeys } from '../signing/key_set.ts';
import type { HostClock } from './host_clock.ts';
import type { Services } from './services.ts';

function plainText(body: string, status: number, requestId: string): Response {
  return new Response(body, {
    status,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
    },
  });
}

/** `/healthz`: the process lives. */
export function healthResponse(requestId: string): Response {
  return plainText('ok\n', 200, requestId);
}

/** A thing that requests depend on. One that is broken makes the whole server unready; a warning does not. */
interface Dependency {
  readonly name: string;
  readonly state: 'ok' | 'absent' | 'warning' | 'broken';
  readonly detail: string;
}

/** `/readyz`: a line for each thing that requests depend on; 503 when one is broken. */
export function readinessResponse(services: Services, requestId: string): Response {
  const dependencies: Dependency[] = [
    { name: 'zones', state: 'ok', detail: `tzdata ${services.zones.version}` },
    holidaysDependency(services.holidays),
    dataDependency(services.places.boundaries),
    dataDependency(services.places.ip),
    signingDependency(services.signing),
    storeDependency(services.access),
    clockDependency(services.hostClock(), services.requireClockSync),
  ];
  const lines = dependencies.map(({ name, state, detail }) => `${`${name} ${state} ${detail}`.trimEnd()}\n`);
  const isReady = dependencies.every(({ state }) => state !== 'broken');
  return plainText(lines.join(''), isReady ? 200 : 503, requestId);
}

/** Data that is read at its first use is ready: a request that needs it waits. */
function dataDependency({ name, version, state }: LazyData<unknown>): Dependency {
  switch (state.kind) {
    case 'ready':
      return { name, state: 'ok', detail: version };
    case 'broken':
      return { name, state: 'broken', detail: `${version}: ${state.problem}` };
    case 'loading':
      return { name, state: 'ok', detail: `${version}, being read and checked` };
    case 'unread':
      return { name, state: 'ok', detail: `${version}, to be read and checked at first use` };
  }
}

function clockDependency(clock: HostClock | null, isRequired: boolean): Dependency {
  const bad = isRequired ? 'broken' : 'warning';
  if (clock === null) return { name: 'clock', state: bad, detail: 'the host does not tell of its clock' };
  if (!clock.isSynchronized) return { name: 'clock', state: bad, detail: 'the host does not synchronise it' };
  return { name: 'clock', state: 'ok', detail: `right to ${clock.maxErrorSeconds} s` };
}

function holidaysDependency({ header, organisation }: HolidayCalendars): Dependency {
  const own = organisation === null ? '' : `, with ${counted(organisation.size, 'day')} of the organisation`;
  return { name: 'holidays', state: 'ok', detail: header.library + own };
}

/** A server without keys is ready: it answers all but `sign=true`. What is wrong with the store is for its log. */
function signingDependency({ current, problem }: SigningKeys): Dependency {
  if (current.active === undefined) return { name: 'signing', state: 'absent', detail: '' };
  if (problem === undefined) return { name: 'signing', state: 'ok', detail: current.active.kid };
  return { name: 'signing', state: 'warning', detail: `${current.active.kid}, its store has a problem` };
}

/** What is said of each topic; whether the shared store answers is asked of itself. */
const TROUBLES: Readonly<Record<Exclude<AccessTopic, 'shared'>, string>> = {
  tokens: 'keys cannot be read',
  files: 'files of keys or plans cannot be read',
  plans: 'keys are refused, as their plan is not defined',
  usage: 'usage cannot be written',
};

/**
 * What keeps API keys and usage. As long as requests are answered its troubles are warnings; the log tells of them in
 * full.
 */
function storeDependency(access: AccessControl | null): Dependency {
  const name = 'store';
  if (access === null) return { name, state: 'ok', detail: 'open to all' };
  // Where everybody is served nothing waits for the shared store.
  if (access.sharedStore === 'away and closed' && !access.isOpen) {
    return { name, state: 'broken', detail: 'the shared store is away' };
  }
  const troubles = Object.entries(TROUBLES)
    .filter(([topic]) => access.problem(topic as keyof typeof TROUBLES) !== undefined)
    .map(([, trouble]) => trouble);
  if (access.sharedStore.startsWith('away')) troubles.push('the shared store is away');
  const state = troubles.length === 0 ? 'ok' : 'warning';
  return { name, state, detail: [...(access.isOpen ? ['open to all'] : []), ...troubles].join(', ') };
}
