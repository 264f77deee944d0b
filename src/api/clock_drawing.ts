/** All that draws clocks, to be loaded at once, and not before one is asked for. */
export { clockFragment } from '../clock/fragment.tsx';
export { clockConfig } from '../operations/clock.ts';
