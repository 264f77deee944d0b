import { followContents } from './contents.ts';
import { runGallery } from './gallery.ts';
import { storeKey } from './key.ts';
import { runPlayground } from './playground.ts';
import { runWorldClock } from './world_clock.ts';

const PARTS: Readonly<Record<string, (part: HTMLElement) => void>> = {
  '#key': storeKey,
  '[data-world-clock]': runWorldClock,
  '[data-playground]': runPlayground,
  '[data-gallery]': runGallery,
  '[data-contents]': followContents,
};

for (const [selector, run] of Object.entries(PARTS)) {
  const part = document.querySelector<HTMLElement>(selector);
  if (part) run(part);
}
