import { runContents } from './contents.ts';
import { runGallery } from './gallery.ts';
import { runMap } from './map.ts';
import { storeKey } from './page.ts';
import { suggestFinds } from './place_search.ts';
import { runPlayground } from './playground.ts';
import { runWorldClock } from './world_clock.ts';
import { runZonePage } from './zone_page.ts';

const PARTS: Readonly<Record<string, (part: HTMLElement) => void>> = {
  '#key': storeKey,
  '[data-find]': suggestFinds,
  '[data-world-clock]': runWorldClock,
  '[data-playground]': runPlayground,
  '[data-gallery]': runGallery,
  '[data-contents]': runContents,
  '[data-map]': runMap,
  '[data-zone-page]': runZonePage,
};

for (const [selector, run] of Object.entries(PARTS)) {
  const part = document.querySelector<HTMLElement>(selector);
  if (part) run(part);
}
