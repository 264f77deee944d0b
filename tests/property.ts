import fc from 'fast-check';

/** `FC_SEED` repeats a failed run; `FC_RUNS` makes each property run more often. */
fc.configureGlobal({
  numRuns: Number(process.env['FC_RUNS'] ?? 200),
  ...(process.env['FC_SEED'] === undefined ? {} : { seed: Number(process.env['FC_SEED']) }),
});

export { fc };
