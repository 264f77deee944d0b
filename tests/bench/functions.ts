import { join } from 'node:path';

/** The cost of one call of a function. */
export interface FunctionCost {
  readonly name: string;
  /** CPU time: the median of many batches. */
  readonly nanoseconds: number;
  /** Null if the machine does not count them, as most virtual machines do not. */
  readonly instructions: number | null;
}

const PROGRAM = [process.execPath, join(import.meta.dir, 'function_costs.ts')];
const CALLS = 200_000;

/** Measures the hot functions, and lookups of a million places one by one. */
export function measureFunctions(): FunctionCost[] {
  const costs = json(PROGRAM) as Record<string, number>;
  const counts = countsInstructions();
  const functions = Object.entries(costs).map(([name, nanoseconds]) => ({
    name,
    nanoseconds,
    instructions: counts ? instructionsOf(name) : null,
  }));
  const lookups = json([process.execPath, join(import.meta.dir, 'lookups.ts')]) as Record<string, number>;
  return [
    ...functions,
    ...Object.entries(lookups).map(([name, nanoseconds]) => ({ name, nanoseconds, instructions: null })),
  ];
}

/** The JSON that a program prints. */
export function json(command: string[]): unknown {
  const { stdout, exitCode } = Bun.spawnSync(command, { stderr: 'inherit' });
  if (exitCode !== 0) throw new Error(`${command.join(' ')} failed`);
  return JSON.parse(stdout.toString());
}

function countsInstructions(): boolean {
  return Bun.which('perf') !== null && Number.isFinite(instructions(['true']));
}

/** The instructions of one call: the difference that twice as many calls make. */
function instructionsOf(name: string): number {
  const of = (calls: number) => instructions([...PROGRAM, '--only', name, '--calls', String(calls)]);
  return (of(2 * CALLS) - of(CALLS)) / CALLS;
}

/** The instructions of a program in user space; NaN if the machine does not count them. */
function instructions(command: string[]): number {
  const { stderr } = Bun.spawnSync(['perf', 'stat', '-x', ',', '-e', 'instructions:u', ...command]);
  return Number.parseInt(stderr.toString().trim(), 10);
}
