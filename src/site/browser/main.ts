import { followContents } from './contents.ts';
import { runGallery } from './gallery.ts';
import { storeKey } from './key.ts';
import { runPlayground } from './playground.ts';
import { runWorldClock } from './world_clock.ts';

const part = (selector: string) => document.querySelector<HTMLElement>(selector);

const keyForm = part('#key');
if (keyForm) storeKey(keyForm);
const worldClock = part('[data-world-clock]');
if (worldClock) runWorldClock(worldClock);
const playground = part('[data-playground]');
if (playground) runPlayground(playground);
const gallery = part('[data-gallery]');
if (gallery) runGallery(gallery);
const contents = part('[data-contents]');
if (contents) followContents(contents);
