import type { LazyData } from '../places/lazy_data.ts';
import type { SigningKeys } from '../signing/key_set.ts';
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

/** `/readyz`: a line for each thing that requests depend on; 503 when one is missing. */
export function readinessResponse(services: Services, requestId: string): Response {
  const { zones, places, signing } = services;
  const data = [places.boundaries, places.ip];
  const lines = [`zones ok tzdata ${zones.version}`, ...data.map(dataLine), signingLine(signing)];
  const isReady = data.every(({ state }) => state.kind !== 'broken');
  return plainText(`${lines.join('\n')}\n`, isReady ? 200 : 503, requestId);
}

/** Data that is read at its first use is ready: a request that needs it waits. */
function dataLine({ name, version, state }: LazyData<unknown>): string {
  switch (state.kind) {
    case 'ready':
      return `${name} ok ${version}`;
    case 'broken':
      return `${name} broken ${version}: ${state.problem}`;
    case 'loading':
      return `${name} ok ${version}, being read and checked`;
    case 'unread':
      return `${name} ok ${version}, to be read and checked at first use`;
  }
}

/** A server without keys is ready: it answers all but `sign=true`. What is wrong with the store is for its log. */
function signingLine({ current, problem }: SigningKeys): string {
  if (current.active === undefined) return 'signing absent';
  return `signing ok ${current.active.kid}${problem === undefined ? '' : ' (its store has a problem)'}`;
}
