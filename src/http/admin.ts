import type { AccessControl } from '../access/access_control.ts';
import type { AccessTopic } from '../access/problems.ts';
import { ServiceError } from '../common/errors.ts';
import type { SigningKeys } from '../signing/key_set.ts';
import { type App, createHttpApp, type ListenerOptions } from './app.ts';
import type { Endpoint, Exchange } from './exchange.ts';
import type { DependencyStatus, HostClock, Server } from './snapshot.ts';

/** `/healthz`: the process is alive. `/readyz`: a line for each dependency; 503 if any is broken. */
export function healthEndpoints(server: Server): readonly Endpoint[] {
  return [
    { path: '/healthz', access: 'public', handle: exchange => plainText('ok\n', 200, exchange) },
    { path: '/readyz', access: 'public', handle: exchange => readinessResponse(server, exchange) },
  ];
}

function plainText(body: string, status: number, { requestId }: Exchange, version = ''): Response {
  return new Response(body, {
    status,
    headers: {
      'Content-Type': `text/plain; ${version}charset=utf-8`,
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
    },
  });
}

function readinessResponse(server: Server, exchange: Exchange): Response {
  const { snapshot } = exchange;
  const dependencies = [
    ...server.dataStatus(snapshot),
    signingDependency(server.signing),
    storeDependency(server.access),
    clockDependency(server.hostClock(), snapshot.requireClockSync),
  ];
  const lines = dependencies.map(({ name, state, detail }) => `${`${name} ${state} ${detail}`.trimEnd()}\n`);
  const isReady = dependencies.every(({ state }) => state !== 'broken');
  return plainText(lines.join(''), isReady ? 200 : 503, exchange);
}

function clockDependency(clock: HostClock | null, isRequired: boolean): DependencyStatus {
  if (clock?.isSynchronized)
    return { name: 'clock', state: 'ok', detail: `maximum error ${clock.maxErrorSeconds} s` };
  const detail =
    clock === null
      ? 'the host does not report the state of its clock'
      : 'the host does not synchronise its clock';
  return { name: 'clock', state: isRequired ? 'broken' : 'warning', detail };
}

/** A server without signing keys is ready for everything but `sign=true`. Details of problems are in the log. */
function signingDependency({ current: { active }, problem }: SigningKeys): DependencyStatus {
  const name = 'signing';
  if (active === undefined) return { name, state: 'absent', detail: '' };
  return problem === undefined
    ? { name, state: 'ok', detail: active.kid }
    : { name, state: 'warning', detail: `${active.kid}, the key store has a problem` };
}

/** How each problem is reported, by topic; the shared store reports its own state. */
const PROBLEMS: Readonly<Record<Exclude<AccessTopic, 'shared'>, string>> = {
  tokens: 'keys cannot be read',
  files: 'key or plan files cannot be read',
  keys: 'there are no API keys',
  plans: 'keys are rejected, as their plan is not defined',
  usage: 'usage cannot be written',
  last_use: 'last uses of keys cannot be written',
  restored: 'usage that Redis has lost cannot be restored',
  shared_keys: 'keys in Redis cannot be read or copied',
  shared_plans: 'plans in Redis cannot be read or copied',
};

/** The store of API keys and usage. Its problems are warnings as long as requests are served; details are in the log. */
function storeDependency(access: AccessControl | null): DependencyStatus {
  const name = 'store';
  if (access === null) return { name, state: 'ok', detail: 'open to all' };
  const unavailable = `the shared store is unavailable: ${access.sharedFailure}`;
  // An open server does not need the shared store.
  if (access.sharedStore === 'down' && !access.isOpen) return { name, state: 'broken', detail: unavailable };
  if (access.mayLackKeys && !access.isOpen) {
    const reason = access.sharedFailure ?? access.problem('shared_keys') ?? 'they are being read';
    return { name, state: 'broken', detail: `the API keys in Redis were never read: ${reason}` };
  }
  const problems = Object.entries(PROBLEMS)
    .filter(([topic]) => access.problem(topic as keyof typeof PROBLEMS) !== undefined)
    .map(([, problem]) => problem);
  if (['degraded', 'down'].includes(access.sharedStore)) problems.push(unavailable);
  const state = problems.length === 0 ? 'ok' : 'warning';
  return { name, state, detail: [...(access.isOpen ? ['open to all'] : []), ...problems].join(', ') };
}

/** The application on `--admin-listen`: metrics and health checks without authentication, and endpoints that require an operator. */
export function createAdminApp(
  server: Server,
  listener: ListenerOptions = {},
  endpoints: readonly Endpoint[] = [],
): App {
  const { observer: _, ...unobserved } = server;
  return createHttpApp(
    { ...unobserved, access: null },
    [
      { path: '/metrics', access: 'public', handle: exchange => metricsResponse(server, exchange) },
      ...healthEndpoints(server),
      ...endpoints,
    ],
    listener,
  );
}

/** `/metrics` on the listeners of the API: for clients on this machine, and for operators. */
export function metricsEndpoint(server: Server): Endpoint {
  return {
    path: '/metrics',
    access: 'public',
    handle(exchange) {
      if (exchange.isLocal || server.access?.isOperator(exchange.request.headers, server.now())) {
        return metricsResponse(server, exchange);
      }
      throw new ServiceError(
        'UNAUTHORIZED',
        "Metrics are for clients on this machine and for API keys with the role 'operator'",
      );
    },
  };
}

/** The metrics of all workers, in Prometheus text exposition format 0.0.4. */
async function metricsResponse({ metrics }: Server, exchange: Exchange): Promise<Response> {
  return plainText(await metrics(), 200, exchange, 'version=0.0.4; ');
}
