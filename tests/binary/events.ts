/** An event that a server logged, as `--log-format json` writes it. */
export interface LoggedEvent {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

/** Reads a server's events from stderr, in order. */
export function eventsOf(stderr: ReadableStream<Uint8Array>) {
  const lines = linesOf(stderr);
  return {
    /** The next event with this message prefix about this item; earlier ones are skipped. */
    async next(message: string, what?: string): Promise<LoggedEvent> {
      const passed: string[] = [];
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`the log ended without '${message}':\n${passed.join('\n')}`);
        const event = JSON.parse(value) as LoggedEvent;
        if (event.message?.startsWith(message) && (what === undefined || event['what'] === what))
          return event;
        passed.push(value);
      }
    },
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    text = lines.pop()!;
    yield* lines;
  }
}
