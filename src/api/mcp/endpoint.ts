import { onceSettled, whenReady } from '../../common/promises.ts';
import type { Endpoint } from '../../http/exchange.ts';
import type { Server } from '../../http/snapshot.ts';

/** `POST /mcp`: the Model Context Protocol over HTTP. `version` is the server's. Its code is loaded on the first message. */
export function mcpEndpoint(server: Server, version: string): Endpoint {
  const load = onceSettled(async () => {
    const { mcpHandler } = await import('./server.ts');
    return mcpHandler(server, version);
  });
  return {
    path: '/mcp',
    methods: ['POST'],
    access: 'guarded',
    handle: exchange => whenReady(load(), handle => handle(exchange)),
  };
}
