const WIDTH = 40;

/** A bar that grows on a terminal's error output, and nothing elsewhere; call it with the part that is done, 0…1. */
export function progressBar(label: string): (done: number) => void {
  let shown = -1;
  return done => {
    const filled = Math.min(WIDTH, Math.floor(done * WIDTH));
    if (filled === shown || !process.stderr.isTTY) return;
    shown = filled;
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
    process.stderr.write(`\r${label} ${bar} ${Math.floor(done * 100)} %${filled === WIDTH ? '\n' : ''}`);
  };
}
