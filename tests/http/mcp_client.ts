import { expect } from 'bun:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { GOLDEN_CALLS } from './mcp_calls.ts';

/** The parsed text of a tool call's result. */
export interface ToolResult {
  readonly isError: boolean;
  readonly value: unknown;
}

/** The official SDK's client, connected. */
export async function connect(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return client;
}

export async function callTool(
  client: Client,
  name: string,
  given: Readonly<Record<string, unknown>>,
): Promise<ToolResult> {
  const { content, isError } = await client.callTool({ name, arguments: given });
  const [{ text }] = content as [{ text: string }];
  return { isError: isError === true, value: JSON.parse(text) };
}

/** Lists the tools, and calls all of them with the golden calls. */
export async function expectGoldenResults(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  const called = new Set(GOLDEN_CALLS.map(({ tool }) => tool));
  expect(tools.map(({ name }) => name).filter(name => !called.has(name))).toEqual(['current_time']);
  for (const { prompt, tool, given, expected } of GOLDEN_CALLS) {
    const { isError, value } = await callTool(client, tool, given);
    expect({ prompt, isError, value }).toMatchObject({ prompt, isError: false, value: expected });
  }
  const current = await callTool(client, 'current_time', { tz: 'Asia/Tokyo' });
  expect(current).toMatchObject({ isError: false, value: { timezone: 'Asia/Tokyo' } });
}
