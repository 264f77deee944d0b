import { ask } from './api.ts';
import { clockOf } from './clock_of.ts';
import { make, one, write } from './dom.ts';
import { mayAsk } from './key.ts';
import { suggestZones } from './zone_names.ts';

const PATH = '/v1/time/clock';
/** So many fragments are asked for at once. */
const ABREAST = 4;

/** Lets the clocks show another zone and be of another size, and copies what puts one on a page. */
export function runGallery(root: HTMLElement): void {
  const form = one<HTMLFormElement>(root, 'form');
  const zone = one<HTMLInputElement>(form, '[name=tz]');
  suggestZones(form);
  form.addEventListener('submit', event => {
    event.preventDefault();
    void showZone(root, zone.value.trim());
  });
  const size = one<HTMLInputElement>(form, '[name=size]');
  const resize = () => {
    for (const gallery of root.querySelectorAll<HTMLElement>('.gallery')) {
      gallery.style.setProperty('--service-clock-size', `${size.value}px`);
    }
  };
  size.addEventListener('input', resize);
  // The browser may have kept what was chosen before the page was loaded anew.
  resize();
  for (const exhibit of exhibitsOf(root)) offerCopies(exhibit, root, () => zone.value.trim());
}

function exhibitsOf(root: HTMLElement): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>('[data-exhibit]')];
}

function requestFor(exhibit: HTMLElement, zone: string): string {
  const tz = encodeURIComponent(zone).replaceAll('%2F', '/');
  return `${PATH}?style=${exhibit.dataset['exhibit']}&tz=${tz}`;
}

async function showZone(root: HTMLElement, zone: string): Promise<void> {
  const say = (text: string) => write(root, '[data-gallery-status]', text);
  if (!mayAsk()) {
    say('This server wants an API key, which goes into the field at the top.');
    document.querySelector<HTMLInputElement>('#key input')?.focus();
    return;
  }
  say('');
  const waiting = exhibitsOf(root);
  const [first] = waiting;
  const problem = first === undefined ? undefined : await show(waiting.shift()!, zone);
  // What is wrong with one is wrong with all.
  if (problem !== undefined) return say(problem);
  const work = async () => {
    for (let exhibit = waiting.shift(); exhibit !== undefined; exhibit = waiting.shift()) {
      const trouble = await show(exhibit, zone);
      if (trouble !== undefined) {
        waiting.length = 0;
        say(trouble);
      }
    }
  };
  await Promise.all(Array.from({ length: ABREAST }, work));
}

/** Puts the clock of a zone into its place; what speaks against it where that cannot be. */
async function show(exhibit: HTMLElement, zone: string): Promise<string | undefined> {
  try {
    const { status, body } = await ask(requestFor(exhibit, zone));
    if (status !== 200) return String(JSON.parse(body).error.message);
    one(exhibit, '.exhibit-clock').replaceChildren(clockOf(body));
    return undefined;
  } catch {
    return 'The server cannot be reached.';
  }
}

function offerCopies(exhibit: HTMLElement, root: HTMLElement, zoneNow: () => string): void {
  const base = root.dataset['publicUrl'] || location.origin;
  for (const button of exhibit.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    button.addEventListener('click', async () => {
      const request = requestFor(exhibit, zoneNow());
      const isShort = button.dataset['copy'] === 'lines';
      const text = isShort ? linesFor(request, base) : await fragmentFor(request, base);
      if (text !== undefined) await handOver(text, button, exhibit);
    });
  }
}

/** Browsers have a clipboard for pages that came safely only: over TLS, or from the machine itself. Others show the text. */
async function handOver(text: string, button: HTMLButtonElement, exhibit: HTMLElement): Promise<void> {
  if (isSecureContext) {
    await navigator.clipboard.writeText(text);
    return announce(button, 'Copied');
  }
  exhibit.querySelector('.json')?.remove();
  exhibit.append(make('pre', 'json markup', text));
}

/** Two lines for any page: the script fetches the clock that the first one names. */
function linesFor(request: string, base: string): string {
  const source = `${base}${request}`.replaceAll('&', '&amp;');
  return `<div data-service-clock-src="${source}"></div>\n<script async src="${base}${PATH}/assets/v1/clock.js"></script>\n`;
}

/** The clock itself, with paths that lead here from wherever it is put. */
async function fragmentFor(request: string, base: string): Promise<string | undefined> {
  const { status, body } = await ask(request);
  return status === 200 ? body.replaceAll('"/v1/time/', `"${base}/v1/time/`) : undefined;
}

function announce(button: HTMLButtonElement, text: string): void {
  const label = button.textContent;
  button.textContent = text;
  setTimeout(() => {
    button.textContent = label;
  }, 1500);
}
