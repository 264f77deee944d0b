import { fstatSync } from 'node:fs';

/** Whether a file descriptor leads to a person's terminal. */
export function isTerminal(descriptor: number): boolean {
  // `node:tty`, which takes 2 ms to load and `process.stdout` even 10, is asked only about what may be a terminal.
  return isCharacterDevice(descriptor) && process.getBuiltinModule('node:tty').isatty(descriptor);
}

/** A terminal is one; so is `/dev/null`. A descriptor that is closed is none. */
function isCharacterDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}
