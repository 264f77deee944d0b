/** An invalid command line, environment or configuration file: a one-line message, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
