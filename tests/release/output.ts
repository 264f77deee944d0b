import { expect } from 'bun:test';

/** Runs a program to its end; throws with its output unless it exits 0. Returns its stdout. */
export function output(command: readonly string[], cwd = '/tmp'): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd });
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr.toString() + stdout }).toEqual({
    exitCode: 0,
    stderr: '',
  });
  return stdout.toString();
}
