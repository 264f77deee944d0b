import { messagesOf } from '../../src/common/errors.ts';

/** The messages of the errors that a function throws: several for an `AggregateError`, none if it returns. */
export function thrownBy(run: () => unknown): string[] {
  try {
    run();
    return [];
  } catch (error) {
    return messagesOf(error);
  }
}
