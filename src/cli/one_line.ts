import { messageOf } from '../common/message_of.ts';

/** What went wrong, in the one line that a caller of a command sees: without a stack. */
export function oneLine(thrown: unknown): string {
  return messageOf(thrown).split('\n')[0]!;
}
