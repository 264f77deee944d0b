import { ASSET_PATHS, CLOCK_PATH } from '../../clock/clock_config.ts';
import { exchange } from './api.ts';
import { clockOf } from './clock_of.ts';
import { make, one, takeTurn, write } from './dom.ts';
import { hasAccess } from './key.ts';
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
  if (size.value === size.defaultValue) size.value = sizeOf(galleries[0]!);
  else resize();
  for (const exhibit of exhibitsOf(root)) offerCopies(exhibit, root, () => zone.value.trim());
}

/** The size of the clocks of a gallery, in pixels. */
function sizeOf(gallery: HTMLElement): string {
  return getComputedStyle(gallery).getPropertyValue('--service-clock-size').replace('px', '').trim();
}

function exhibitsOf(root: HTMLElement): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>('[data-exhibit]')];
}

function requestFor(exhibit: HTMLElement, zone: string): string {
  const tz = encodeURIComponent(zone).replaceAll('%2F', '/');
  return `${CLOCK_PATH}?style=${exhibit.dataset['exhibit']}&tz=${tz}`;
}

async function showZone(root: HTMLElement, zone: string): Promise<void> {
  const say = (text: string) => write(root, '[data-gallery-status]', text);
  const isLatest = takeTurn(root);
  if (!hasAccess()) return askForKey(root);
  say('');
  const waiting = exhibitsOf(root);
  const [first] = waiting;
  const problem = first === undefined ? undefined : await show(waiting.shift()!, zone, isLatest);
  // An error of one style is an error of all.
  if (problem !== undefined) return say(problem);
  const work = async () => {
    for (let exhibit = waiting.shift(); exhibit && isLatest(); exhibit = waiting.shift()) {
      const trouble = await show(exhibit, zone, isLatest);
      if (trouble !== undefined) {
        waiting.length = 0;
        say(trouble);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

function askForKey(root: HTMLElement): void {
  write(root, '[data-gallery-status]', 'This server requires an API key: enter it in the field at the top.');
  document.querySelector<HTMLInputElement>('#key input')?.focus();
}

/** Replaces a clock by that of a zone, unless a later update has begun. Returns the problem, if there is one. */
async function show(
  exhibit: HTMLElement,
  zone: string,
  isWanted: () => boolean,
): Promise<string | undefined> {
  const { html, problem } = await fragment(requestFor(exhibit, zone));
  if (!isWanted()) return undefined;
  if (html !== undefined) one(exhibit, '.exhibit-clock').replaceChildren(clockOf(html));
  return problem;
}

/** A clock fragment, or the problem. */
async function fragment(request: string): Promise<{ html?: string; problem?: string }> {
  try {
    const { status, body } = await exchange(request);
    return status === 200 ? { html: body } : { problem: String(JSON.parse(body).error.message) };
  } catch {
    return { problem: 'The server is unreachable.' };
  }
}

function offerCopies(exhibit: HTMLElement, root: HTMLElement, zoneNow: () => string): void {
  const base = root.dataset['publicUrl'] || location.origin;
  for (const button of exhibit.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    button.addEventListener('click', async () => {
      if (!hasAccess()) return askForKey(root);
      const request = requestFor(exhibit, zoneNow());
      // Check that the server returns this clock, for the two lines too.
      const { html, problem } = await fragment(request);
      write(root, '[data-gallery-status]', problem ?? '');
      if (html === undefined) return;
      const isShort = button.dataset['copy'] === 'lines';
      await copyOrShow(isShort ? linesFor(request, base) : withPathsTo(base, html), button, exhibit);
    });
  }
}

/** Copies a text, or shows it where there is no clipboard: outside secure contexts, or too long after the click. */
async function copyOrShow(text: string, button: HTMLButtonElement, exhibit: HTMLElement): Promise<void> {
  exhibit.querySelector('.json')?.remove();
  try {
    await navigator.clipboard.writeText(text);
    announce(button, 'Copied');
  } catch {
    exhibit.append(make('pre', 'json markup', text));
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

/** Shows `text` on a button for a moment, unless it is shown already. */
function announce(button: HTMLButtonElement, text: string): void {
  const label = button.textContent;
  if (label === text) return;
  button.textContent = text;
  setTimeout(() => {
    button.textContent = label;
  }, 1500);
}
