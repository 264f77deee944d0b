/** A command line, environment or configuration that cannot be carried out: told in one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
