import type { Admission } from '../access/gate.ts';
import { addLimitHeaders, isCounted } from './limited_headers.ts';
import type { Exchange, Respond } from './observe.ts';
import { requestIdOf } from './request_id.ts';
import { errorResponse, wantsSignature } from './respond.ts';
import type { Services } from './services.ts';

/**
 * `respond` for those who may ask: credentials are looked at before anything else of a request, so that a stranger learns nothing
 * from what is said of the rest. An answer then says how its caller stands with its limits, and gives its request back where it
 * does not count.
 */
export function guarded(services: Services, respond: Respond): Respond {
  const { access } = services;
  if (access === null) return respond;

  function answer(exchange: Exchange, admission: Admission): Response | Promise<Response> {
    exchange.admission = admission;
    if (admission.holder !== undefined) exchange.keyId = admission.holder.label;
    if (admission.refusal !== undefined) return refuse(exchange, admission);
    const response = respond(exchange);
    if (response instanceof Response) return conclude(exchange, admission, response);
    return response.then(settled => conclude(exchange, admission, settled));
  }

  function refuse({ request }: Exchange, admission: Admission): Response {
    const signedFor = wantsSignature(request) ? request : undefined;
    const response = errorResponse(admission.refusal, requestIdOf(request), services, signedFor);
    addLimitHeaders(response.headers, admission, response.status);
    return response;
  }

  function conclude(exchange: Exchange, admission: Admission, response: Response): Response {
    if (exchange.isAnswered) return response;
    if (!isCounted(response.status)) access!.refund(admission);
    addLimitHeaders(response.headers, admission, response.status);
    return response;
  }

  return exchange => {
    if (access.isOpen) return respond(exchange);
    const admission = access.authorise(exchange.request.headers, services.now());
    if (!(admission instanceof Promise)) return answer(exchange, admission);
    return admission.then(known => answer(exchange, known));
  };
}
