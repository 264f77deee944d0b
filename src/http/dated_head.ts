/** Answers a request. */
type Handle = (request: Request) => Response | Promise<Response>;

/** `handle`, with a `Date` (RFC 9110 §6.6.1) in the answers to HEAD: those are the only ones that Bun sends without. */
export function withDatedHead(handle: Handle): Handle {
  return request => {
    const response = handle(request);
    if (request.method !== 'HEAD') return response;
    return response instanceof Response ? dated(response) : response.then(dated);
  };
}

function dated(response: Response): Response {
  response.headers.set('Date', new Date().toUTCString());
  return response;
}
