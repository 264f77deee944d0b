import { visitorsZone } from '../../clock/browser/local_offset.ts';
import { ASSET_PATHS, CLOCK_PATH } from '../../clock/clock_config.ts';
import { once } from '../../common/caching.ts';
import { attempt, clockOf, copyText, fieldOf, getText, make, one, readableQuery, write } from './page.ts';
import { suggestZones } from './place_search.ts';

/** How many fragments are requested concurrently. */
const CONCURRENCY = 4;

/** Runs the controls of the gallery: zone, size and copy buttons. */
export function runGallery(root: HTMLElement): void {
  const form = one<HTMLFormElement>(root, 'form');
  const zone = fieldOf(form, 'tz');
  const report: Report = message => write(root, '[data-gallery-status]', message);
  suggestZones(form);
  // The clocks initially show the visitor's zone, too.
  if (zone.value === zone.defaultValue) zone.value = visitorsZone();
  form.addEventListener('submit', event => {
    event.preventDefault();
    void showZone(root, zone.value.trim(), report);
  });
  const size = fieldOf(form, 'size');
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
  for (const exhibit of root.querySelectorAll<HTMLElement>('[data-exhibit]')) {
    offerCopies(exhibit, report, () => zone.value.trim());
    const style = exhibit.dataset['exhibit']!;
    one(exhibit, '[data-build]').addEventListener('click', () => builder()(style, zone.value.trim()));
  }
}

type Report = (message: string) => void;

function queryFor({ dataset }: HTMLElement, tz: string): string {
  return readableQuery([
    ['style', dataset['exhibit']!],
    ['tz', tz],
  ]);
}

async function showZone(root: HTMLElement, zone: string, report: Report): Promise<void> {
  await attempt(root, report, async isLatest => {
    report('');
    const exhibits = root.querySelectorAll<HTMLElement>('[data-exhibit]').values();
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

function offerCopies(exhibit: HTMLElement, report: Report, zoneNow: () => string): void {
  for (const button of exhibit.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    const copy = async () => {
      report('');
      const query = queryFor(exhibit, zoneNow());
      // Even for a script, check that the server returns this clock.
      const html = await fetchClock(query);
      const text = snippetOf(button.dataset['copy'], query, html, one(exhibit, '.service-clock'));
      exhibit.querySelector('.json')?.remove();
      // Without a clipboard, or if it is too long after the click, shows the text.
      await copyText(text, button).catch(() => exhibit.append(make('pre', 'json', text)));
    };
    button.addEventListener('click', () => void attempt(button, report, copy));
  }
}

/** The pause in typing after which the clock is redrawn. */
const PAUSE_MS = 250;

/** Runs the clock builder. The returned function opens it for a style in a zone. */
function runBuilder(dialog: HTMLDialogElement): (style: string, zone: string) => void {
  const form = one<HTMLFormElement>(dialog, '[data-builder-form]');
  const code = one(dialog, '[data-builder-code]');
  let timer: ReturnType<typeof setTimeout> | undefined;
  suggestZones(form);
  const update = () => void showClock(dialog, form, code);
  const updateSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(update, PAUSE_MS);
  };
  form.addEventListener('input', () => {
    enableFields(dialog, form);
    updateSoon();
  });
  form.addEventListener('submit', event => event.preventDefault());
  one(dialog, '[data-builder-forms]').addEventListener('change', update);
  one(dialog, '[data-builder-close]').addEventListener('click', () => dialog.close());
  const button = one(dialog, '[data-builder-copy]');
  button.addEventListener('click', () => {
    // Without a clipboard, selects the code.
    copyText(code.textContent, button).catch(() => getSelection()?.selectAllChildren(code));
  });
  return (style, zone) => {
    fieldOf(form, 'style').value = style;
    fieldOf(form, 'tz').value = zone;
    enableFields(dialog, form);
    dialog.showModal();
    update();
  };
}

/** Disables mutually exclusive fields; a form omits disabled fields. */
function enableFields(dialog: HTMLElement, form: HTMLFormElement): void {
  for (const box of form.querySelectorAll<HTMLInputElement>('[data-enables]'))
    fieldOf(form, box.dataset['enables']!).disabled = !box.checked;
  const isInVisitorsZone = fieldOf(form, 'visitor').checked;
  const isDigital = fieldOf(form, 'style').value.startsWith('digital-');
  fieldOf(form, 'tz').disabled = isInVisitorsZone;
  fieldOf(form, 'countdown_to').disabled = !isDigital;
  fieldOf(form, 'format').disabled = !isDigital || fieldOf(form, 'hour12').checked;
  one(dialog, '[data-builder-digital]').hidden = !isDigital;
  // An image cannot be in the visitor's zone, since the server renders it.
  for (const radio of dialog.querySelectorAll<HTMLInputElement>('[value=image]')) {
    radio.disabled = isInVisitorsZone;
    if (radio.disabled && radio.checked) fieldOf(dialog, 'form').checked = true;
  }
}

/** Shows the form's clock on light and dark backgrounds, and its code. */
async function showClock(dialog: HTMLElement, form: HTMLFormElement, code: HTMLElement): Promise<void> {
  const report: Report = message => write(dialog, '[data-builder-status]', message);
  const entries = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()] as const);
  const query = readableQuery(entries.filter(([, value]) => value !== ''));
  const show = async (isLatest: () => boolean) => {
    const previews = [...dialog.querySelectorAll<HTMLElement>('[data-builder-preview]')];
    const fragments = await Promise.all(previews.map(() => fetchClock(query)));
    if (!isLatest()) return;
    for (const [index, preview] of previews.entries()) preview.replaceChildren(clockOf(fragments[index]!));
    const copyAs = one<HTMLInputElement>(dialog, '[name=form]:checked').value;
    code.textContent = snippetOf(copyAs, query, fragments[0]!, one(previews[0]!, '.service-clock'));
    report('');
  };
  const fail: Report = message => {
    code.textContent = '';
    report(message);
  };
  await attempt(dialog, fail, show);
}

const fetchClock = (query: string) => getText(`${CLOCK_PATH}?${query}`);

/** The code of a clock for a page on another host, in a form. `fragment` is the server's clock, `clock` the same one in the page. */
function snippetOf(form: string | undefined, query: string, fragment: string, clock: Element): string {
  const base =
    document.querySelector<HTMLElement>('[data-public-url]')?.dataset['publicUrl'] || location.origin;
  if (form === 'fragment') return fragment.replaceAll('"/v1/time/', `"${base}/v1/time/`);
  const label = /aria-label="([^"]*)"/.exec(fragment)![1]!;
  const html = query.replaceAll('&', '&amp;');
  const frame = `${base}/embed/clock?${html}`;
  const { width, height } = clock.getBoundingClientRect();
  const box = `width="${Math.ceil(width)}" height="${Math.ceil(height)}"`;
  if (form === 'frame')
    return `<iframe src="${frame}" ${box} title="${label}" loading="lazy" style="border:0;color-scheme:light"></iframe>\n`;
  if (form === 'image') return `<img src="${base}${CLOCK_PATH}.svg?${html}" alt="${label}">\n`;
  const link = `<a href="${frame}">${label}</a>`;
  return `<div data-service-clock-src="${base}${CLOCK_PATH}?${html}">${link}</div>\n<script async src="${base}${ASSET_PATHS.script}"></script>\n`;
}
