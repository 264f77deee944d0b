import { ASSET_PATHS, CLOCK_PATH } from '../../clock/clock_config.ts';
import { exchange } from './api.ts';
import { clockOf } from './clock_of.ts';
import { confirmCopy, make, one, takeTurn, write } from './dom.ts';
import { suggestZones } from './zone_names.ts';

/** Fragments that are requested at the same time. */
const CONCURRENCY = 4;

/** Runs the controls of the gallery: zone, size and copy buttons. */
export function runGallery(root: HTMLElement): void {
  const form = one<HTMLFormElement>(root, 'form');
  const zone = one<HTMLInputElement>(form, '[name=tz]');
  suggestZones(form);
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
  for (const exhibit of exhibitsOf(root)) offerCopies(exhibit, root, () => zone.value.trim());
}

function exhibitsOf(root: HTMLElement): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>('[data-exhibit]')];
}

function requestFor(exhibit: HTMLElement, zone: string): string {
  const tz = encodeURIComponent(zone).replaceAll('%2F', '/');
  return `${CLOCK_PATH}?style=${exhibit.dataset['exhibit']}&tz=${tz}`;
}

async function showZone(root: HTMLElement, zone: string): Promise<void> {
  await attempt(root, root, async isLatest => {
    const exhibits = exhibitsOf(root).values();
    const work = async () => {
      for (const exhibit of exhibits) {
        const html = await fragment(requestFor(exhibit, zone));
        if (!isLatest()) return;
        one(exhibit, '.exhibit-clock').replaceChildren(clockOf(html));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  });
}

/** Runs an update of `place`, the latest there, and shows why it fails, which ends its parts. */
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

/** Requests a clock. Rejects with a message for the visitor. */
async function fragment(request: string): Promise<string> {
  const { status, body } = await exchange(request);
  if (status !== 200) throw new Error(JSON.parse(body).error.message);
  return body;
}

function offerCopies(exhibit: HTMLElement, root: HTMLElement, zoneNow: () => string): void {
  const base = root.dataset['publicUrl'] || location.origin;
  for (const button of exhibit.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    const copy = async () => {
      const request = requestFor(exhibit, zoneNow());
      // Check that the server returns this clock, for the two lines too.
      const html = await fragment(request);
      const isShort = button.dataset['copy'] === 'lines';
      await copyOrShow(isShort ? linesFor(request, base) : withPathsTo(base, html), button, exhibit);
    };
    button.addEventListener('click', () => void attempt(root, button, copy));
  }
}

/** Copies a text, or shows it where there is no clipboard: outside secure contexts, or too long after the click. */
async function copyOrShow(text: string, button: HTMLButtonElement, exhibit: HTMLElement): Promise<void> {
  exhibit.querySelector('.json')?.remove();
  try {
    await navigator.clipboard.writeText(text);
    confirmCopy(button);
  } catch {
    exhibit.append(make('pre', 'json', text));
  }
}

/** Two lines for any page: the script fetches the clock named by the first one. */
function linesFor(request: string, base: string): string {
  const source = `${base}${request}`.replaceAll('&', '&amp;');
  return `<div data-service-clock-src="${source}"></div>\n<script async src="${base}${ASSET_PATHS.script}"></script>\n`;
}

/** The fragment with absolute URLs. */
function withPathsTo(base: string, html: string): string {
  return html.replaceAll('"/v1/time/', `"${base}/v1/time/`);
}
