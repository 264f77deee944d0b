/** What went wrong, in the one line that a caller of a command sees: without a stack. */
export function oneLine(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')[0]!;
}
