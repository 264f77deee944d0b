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
  const lines = [`zones ok tzdata ${services.zones.version}`, signingLine(services.signing)];
  return plainText(`${lines.join('\n')}\n`, 200, requestId);
}

/** A server without keys is ready: it answers all but `sign=true`. What is wrong with the store is for its log. */
function signingLine({ current, problem }: SigningKeys): string {
  if (current.active === undefined) return 'signing absent';
  return `signing ok ${current.active.kid}${problem === undefined ? '' : ' (its store has a problem)'}`;
}
