import type { ClockConfig } from '../clock_config.ts';

const loaded = new WeakSet<Element>();

/** Fetches the clocks that places of the page name in `data-service-clock-src`, each once. */
export function loadFragments(places: Iterable<Element>): void {
  for (const place of places) {
    if (loaded.has(place)) continue;
    loaded.add(place);
    // A clock that cannot be had leaves what the page has in its place.
    load(place).catch(() => undefined);
  }
}

async function load(place: Element): Promise<void> {
  const url = new URL(place.getAttribute('data-service-clock-src')!, document.baseURI);
  const response = await fetch(url, { credentials: 'omit', cache: 'no-store' });
  if (response.ok) place.replaceChildren(fragmentOf(await response.text(), url));
}

/** A fragment whose paths are those of the server that it is from. Its script, which is at work already, is left out. */
function fragmentOf(html: string, base: URL): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = html;
  const { content } = template;
  for (const link of content.querySelectorAll('link'))
    link.href = new URL(link.getAttribute('href')!, base).href;
  for (const script of content.querySelectorAll('script')) {
    if (script.type === 'application/json') script.textContent = withBase(script.textContent, base);
    else script.remove();
  }
  return content;
}

function withBase(json: string, base: URL): string {
  const config = JSON.parse(json) as ClockConfig;
  const path = new URL(config.refresh.path, base).href;
  return JSON.stringify({ ...config, refresh: { ...config.refresh, path } });
}
