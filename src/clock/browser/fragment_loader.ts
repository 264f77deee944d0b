import type { ClockConfig } from '../clock_config.ts';
import { parseFragment } from './fragment.ts';

/** Fetches the clocks named in `data-service-clock-src`, but only from servers that this script was loaded from. */
export class FragmentLoader {
  /** The URLs of the copies of this script. */
  readonly #scripts = new Set<string>();
  readonly #configs = new WeakMap<Element, ClockConfig>();
  /** The latest attempt to fill each element, whether finished or not. */
  readonly #attempts = new WeakMap<Element, { readonly source: string }>();

  /** Allows fragments from the origin of a copy of this script. */
  allow(script: string): void {
    this.#scripts.add(script);
  }

  /** The config of a fetched host. */
  configOf(host: Element): ClockConfig | undefined {
    return this.#configs.get(host);
  }

  /** Fills elements, and refills them if they name another clock. If a clock cannot be fetched, the element's content is unchanged. */
  load(places: Iterable<Element>): void {
    for (const place of places) {
      const { href } = new URL(place.getAttribute('data-service-clock-src')!, document.baseURI);
      if (this.#attempts.get(place)?.source === href || this.#scriptFor(href) === undefined) continue;
      this.#fill(place, href).catch((error: Error) => console.warn(`${href}: ${error.message}`));
    }
  }

  async #fill(place: Element, source: string): Promise<void> {
    const attempt = { source };
    this.#attempts.set(place, attempt);
    const response = await fetch(source, { credentials: 'omit', cache: 'no-store' });
    // A server may have redirected to another.
    const script = this.#scriptFor(response.url);
    if (script === undefined) throw new Error('redirects to another server');
    if (!response.ok) throw new Error((await messageOf(response)) ?? `status ${response.status}`);
    const { host, config } = parseFragment(await response.text());
    const path = new URL(response.url).origin + new URL(config.refresh.path, response.url).pathname;
    this.#configs.set(host, { ...config, refresh: { ...config.refresh, path } });
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = new URL('clock.css', script).href;
    place.append(link);
    // An unstyled clock can be as large as the page.
    const isStyled = await isLoaded(link);
    if (isStyled && this.#attempts.get(place) === attempt) {
      for (const node of [...place.childNodes]) if (node !== link) node.remove(); // the link would load again if it were moved
      link.before(host);
    } else link.remove();
    if (!isStyled) throw new Error('its stylesheet cannot be loaded');
  }

  /** The copy of this script from the origin of a URL. A blob URL does not begin with its origin. */
  #scriptFor(url: string): string | undefined {
    return [...this.#scripts].find(script => url.startsWith(`${new URL(script).origin}/`));
  }
}

function isLoaded(link: HTMLLinkElement): Promise<boolean> {
  return new Promise(resolve => {
    link.onload = () => resolve(true);
    link.onerror = () => resolve(false);
  });
}

/** The message of an error response. */
async function messageOf(response: Response): Promise<string | undefined> {
  const body = (await response.json().catch(() => null)) as { error?: { message?: string } } | null;
  return body?.error?.message;
}
