/**
 * The cost of the hot functions, in a separate process: prints a JSON object of nanoseconds of CPU time by name, each the
 * median of many batches. `--only NAME --calls N` makes N calls and prints nothing, for a tool that counts instructions.
 */
import { parseArgs } from 'node:util';
import { FUNCTIONS } from './function_cases.ts';
import { median } from './median.ts';

const BATCHES = 15;
const BATCH_MICROSECONDS = 20_000;
const WARMING_CALLS = 20_000;

/** Holds results, so that their computation cannot be optimized away. */
export let kept: unknown;

async function repeat(call: (index: number) => unknown, calls: number): Promise<void> {
  const isAsync = call(0) instanceof Promise;
  if (isAsync) for (let index = 0; index < calls; index++) kept = await call(index);
  else for (let index = 0; index < calls; index++) kept = call(index);
}

async function cpuMicroseconds(call: (index: number) => unknown, calls: number): Promise<number> {
  const before = process.cpuUsage();
  await repeat(call, calls);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

async function nanosecondsOf(call: (index: number) => unknown): Promise<number> {
  await repeat(call, WARMING_CALLS);
  let calls = 100;
  while ((await cpuMicroseconds(call, calls)) < BATCH_MICROSECONDS) calls *= 2;
  const batches: number[] = [];
  for (let batch = 0; batch < BATCHES; batch++) batches.push(await cpuMicroseconds(call, calls));
  return (median(batches) * 1000) / calls;
}

const { values } = parseArgs({ options: { only: { type: 'string' }, calls: { type: 'string' } } });
if (values.only !== undefined) {
  await repeat(FUNCTIONS[values.only]!, Number(values.calls));
} else {
  const costs: Record<string, number> = {};
  for (const [name, call] of Object.entries(FUNCTIONS)) costs[name] = await nanosecondsOf(call);
  console.log(JSON.stringify(costs));
}
