const WIDTH = 40;

/** Shows progress on stderr if it is a terminal; call the result with the completed fraction, 0…1. */
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
