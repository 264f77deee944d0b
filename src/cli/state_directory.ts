import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * The directory that a server may write to: the one that was given, else systemd's `STATE_DIRECTORY` (its first, where
 * a unit has several), else the user's as the XDG Base Directory Specification 0.8 has it, which ignores relative ones.
 */
export function stateDirectory(
  given: string | null,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  if (given !== null) return given;
  const [fromSystemd] = (environment['STATE_DIRECTORY'] ?? '').split(':');
  if (fromSystemd) return fromSystemd;
  const fromXdg = environment['XDG_STATE_HOME'] ?? '';
  return join(isAbsolute(fromXdg) ? fromXdg : join(homedir(), '.local/state'), 'meridian');
}
