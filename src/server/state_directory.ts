import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { UsageError } from '../common/errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The server's writable directory: the given one, else systemd's `STATE_DIRECTORY` (the first, if a unit has several), else
 * one under `%LOCALAPPDATA%` on Windows, or as in the XDG Base Directory Specification 0.8, which ignores relative paths.
 * @throws {UsageError} if the user has no home directory, as in a container
 */
export function stateDirectory(
  given: string | null,
  environment: Environment,
  home: () => string = homedir,
  platform: NodeJS.Platform = process.platform,
): string {
  if (given !== null) return given;
  const [fromSystemd] = (environment['STATE_DIRECTORY'] ?? '').split(':');
  if (fromSystemd) return fromSystemd;
  const fromWindows = platform === 'win32' ? environment['LOCALAPPDATA'] : undefined;
  if (fromWindows) return join(fromWindows, 'meridian');
  const fromXdg = environment['XDG_STATE_HOME'] ?? '';
  return join(isAbsolute(fromXdg) ? fromXdg : join(homeDirectory(home), '.local/state'), 'meridian');
}

function homeDirectory(home: () => string): string {
  try {
    return home();
  } catch {
    throw new UsageError('This user has no home directory: set --state-dir, where keys and usage are stored');
  }
}
