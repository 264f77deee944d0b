import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { UsageError } from '../common/usage_error.ts';

/**
 * The directory that a server may write to: the one that was given, else systemd's `STATE_DIRECTORY` (its first, where
 * a unit has several), else the user's as the XDG Base Directory Specification 0.8 has it, which ignores relative ones.
 * Throws a {@link UsageError} for a user without any: a service or a container can have one.
 */
export function stateDirectory(
  given: string | null,
  environment: Readonly<Record<string, string | undefined>>,
  home: () => string = homedir,
): string {
  if (given !== null) return given;
  const [fromSystemd] = (environment['STATE_DIRECTORY'] ?? '').split(':');
  if (fromSystemd) return fromSystemd;
  const fromXdg = environment['XDG_STATE_HOME'] ?? '';
  return join(isAbsolute(fromXdg) ? fromXdg : join(homeDirectory(home), '.local/state'), 'meridian');
}

function homeDirectory(home: () => string): string {
  try {
    return home();
  } catch {
    throw new UsageError(
      'This user has no home directory: say with --state-dir where keys and usage are kept',
    );
  }
}
