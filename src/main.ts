import { readFileSync } from 'node:fs';
import { runCommandLine } from './cli/command_line.ts';

process.exit(
  await runCommandLine(process.argv.slice(2), {
    environment: process.env,
    readConfig: path => readFileSync(path, 'utf8'),
    print: text => console.log(text),
    write: text => Bun.write(Bun.stdout, text),
    isTerminal: process.stdout.isTTY === true,
  }),
);
