import { readZonePack } from '../../data/zones/embedded.ts';
import { createApp } from '../../src/http/app.ts';
import type { Services } from '../../src/http/services.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';

/** 2026-04-15T17:30:47.123Z, the present of most tests. */
export const NOW_MS = 1_776_274_247_123;

/** Services with the embedded zones and a clock that stands still. */
export function testServices(changes: Partial<Services> = {}): Services {
  return {
    now: () => NOW_MS,
    zones: openZonePack(readZonePack()),
    signing: fixedKeys([]),
    maxBulk: 100,
    corsOrigin: '*',
    logError: (message, cause) => {
      throw new Error(message, { cause });
    },
    ...changes,
  };
}

const app = createApp(testServices());

/** What a request came to; `body` is parsed JSON where it is JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape.
  readonly body: any;
}

/** Asks an app, by default one with {@link testServices}. */
export async function ask(path: string, init: RequestInit = {}, asked = app): Promise<Answer> {
  const response = await asked.handle(new Request(`http://localhost${path}`, init));
  const text = await response.text();
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') && text !== '';
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** The error code of an answer, preceded by its status: `400 INVALID_PARAMETER`. */
export async function errorOf(path: string): Promise<string> {
  const { status, body } = await ask(path);
  return `${status} ${body.error?.code}`;
}
