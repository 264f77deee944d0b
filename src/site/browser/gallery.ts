import { visitorsZone } from '../../clock/browser/local_offset.ts';
import { once } from '../../common/once.ts';
import { runBuilder } from './clock_builder.ts';
import { clockOf } from './clock_of.ts';
import { clockQuery, fetchClock, type SnippetForm, sizeOf, snippetOf } from './clock_snippets.ts';
import { confirmCopy, make, one, takeTurn, write } from './dom.ts';
import { suggestZones } from './zone_names.ts';

/** How many fragments are requested concurrently. */
const CONCURRENCY = 4;

/** Runs the controls of the gallery: zone, size and copy buttons. */
export function runGallery(root: HTMLElement): void {
  const form = one<HTMLFormElement>(root, 'form');
  const zone = one<HTMLInputElement>(form, '[name=tz]');
  suggestZones(form);
  // The clocks initially show the visitor's zone, too.
  if (zone.value === zone.defaultValue) zone.value = visitorsZone();
  form.addEventListener('submit', event => {
    event.preventDefault();
    void showZone(root, zone.value.trim());
  });
  const size = one<HTMLInputElement>(form, '[name=size]');
  const galleries = [...root.querySelectorAll<HTMLElement>('.gallery')];
  const resize = () => {
    for (const gallery of galleries) gallery.style.setProperty('--service-clock-size', `${size.value}px`);
  };
  size.addEventListener('input', resize);
  // Browsers restore form values on reload; otherwise the stylesheet decides.
  const styledSize = getComputedStyle(galleries[0]!).getPropertyValue('--service-clock-size');
  if (size.value === size.defaultValue) size.value = String(Number.parseInt(styledSize, 10));
  else resize();
  const builder = once(() => runBuilder(one<HTMLDialogElement>(root, '[data-builder]')));
  for (const exhibit of exhibitsOf(root)) {
    offerCopies(exhibit, root, () => zone.value.trim());
    const style = exhibit.dataset['exhibit']!;
    one(exhibit, '[data-build]').addEventListener('click', () => builder()(style, zone.value.trim()));
  }
}

function exhibitsOf(root: HTMLElement): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>('[data-exhibit]')];
}

function queryFor(exhibit: HTMLElement, zone: string): string {
  return clockQuery([
    ['style', exhibit.dataset['exhibit']!],
    ['tz', zone],
  ]);
}

async function showZone(root: HTMLElement, zone: string): Promise<void> {
  await attempt(root, root, async isLatest => {
    const exhibits = exhibitsOf(root).values();
    const work = async () => {
      for (const exhibit of exhibits) {
        const html = await fetchClock(queryFor(exhibit, zone));
        if (!isLatest()) return;
        one(exhibit, '.exhibit-clock').replaceChildren(clockOf(html));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  });
}

/** Runs an update of `place`; shows the reason if it fails, which also stops its remaining parts. */
async function attempt(
  root: HTMLElement,
  place: HTMLElement,
  update: (isLatest: () => boolean) => Promise<void>,
): Promise<void> {
  const isLatest = takeTurn(place);
  write(root, '[data-gallery-status]', '');
  try {
    await update(isLatest);
  } catch (error) {
    if (!isLatest()) return;
    takeTurn(place);
    write(root, '[data-gallery-status]', (error as Error).message);
  }
}

function offerCopies(exhibit: HTMLElement, root: HTMLElement, zoneNow: () => string): void {
  for (const button of exhibit.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    const copy = async () => {
      const query = queryFor(exhibit, zoneNow());
      // Even for a script, check that the server returns this clock.
      const html = await fetchClock(query);
      const size = sizeOf(one(exhibit, '.service-clock'));
      const text = snippetOf(button.dataset['copy'] as SnippetForm, query, html, size);
      await copyOrShow(text, button, exhibit);
    };
    button.addEventListener('click', () => void attempt(root, button, copy));
  }
}

/** Copies a text, or shows it if the clipboard is unavailable: outside secure contexts, or too long after the click. */
async function copyOrShow(text: string, button: HTMLButtonElement, exhibit: HTMLElement): Promise<void> {
  exhibit.querySelector('.json')?.remove();
  try {
    await navigator.clipboard.writeText(text);
    confirmCopy(button);
  } catch {
    exhibit.append(make('pre', 'json', text));
  }
}
