import { expect } from 'bun:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { GOLDEN_QUESTIONS } from './mcp_questions.ts';

/** The result of a tool call: its text parsed. */
export interface ToolResult {
  readonly isError: boolean;
  readonly value: unknown;
}

/** The client of the official SDK, connected. */
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

/** Lists the tools, and calls all of them with the golden questions. */
export async function expectGoldenResults(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  const called = new Set(GOLDEN_QUESTIONS.map(({ tool }) => tool));
  expect(tools.map(({ name }) => name).filter(name => !called.has(name))).toEqual(['current_time']);
  for (const { question, tool, given, expected } of GOLDEN_QUESTIONS) {
    const { isError, value } = await callTool(client, tool, given);
    expect({ question, isError, value }).toMatchObject({ question, isError: false, value: expected });
  }
  const current = await callTool(client, 'current_time', { tz: 'Asia/Tokyo' });
  expect(current).toMatchObject({ isError: false, value: { timezone: 'Asia/Tokyo' } });
}
