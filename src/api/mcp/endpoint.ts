import { once } from '../../common/once.ts';
import type { Endpoint } from '../../http/exchange.ts';
import type { Server } from '../../http/snapshot.ts';

/**
 * `POST /mcp`: the Model Context Protocol over HTTP, each response a JSON object. Of all messages only tool calls count
 * against a quota. `version` is that of the server. Tools and protocol are loaded for the first message.
 */
export function mcpEndpoint(server: Server, version: string): Endpoint {
  const load = once(async () => {
    const { mcpHandler } = await import('./handler.ts');
    return mcpHandler(server, version);
  });
  return {
    path: '/mcp',
    methods: ['POST'],
    access: 'guarded',
    async handle(exchange) {
      const handle = await load();
      return handle(exchange);
    },
  };
}
