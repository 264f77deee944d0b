import type { ClockConfig } from '../clock_config.ts';
import { parseFragment } from './fragment.ts';

/** Fetches the clocks that elements name in `data-service-clock-src`, only from servers that this script comes from. */
export class FragmentLoader {
  /** The URLs of the copies of this script. */
  readonly #scripts = new Set<string>();
  readonly #configs = new WeakMap<Element, ClockConfig>();
  readonly #loaded = new WeakSet<Element>();

  /** Allows fragments from the origin of a copy of this script. */
  allow(script: string): void {
    this.#scripts.add(script);
  }

  /** The config of a host that was fetched. */
  configOf(host: Element): ClockConfig | undefined {
    return this.#configs.get(host);
  }

  /** Fills elements, each once. */
  load(places: Iterable<Element>): void {
    // An element whose clock cannot be fetched keeps what the page has in it.
    for (const place of places) this.#fill(place).catch(() => undefined);
  }

  async #fill(place: Element): Promise<void> {
    const source = new URL(place.getAttribute('data-service-clock-src')!, document.baseURI);
    if (this.#scriptFor(source.href) === undefined || this.#loaded.has(place)) return;
    this.#loaded.add(place);
    const response = await fetch(source, { credentials: 'omit', cache: 'no-store' });
    // A server may redirect to another.
    const script = this.#scriptFor(response.url);
    if (!response.ok || script === undefined) return;
    const { host, config } = parseFragment(await response.text());
    const path = new URL(response.url).origin + new URL(config.refresh.path, response.url).pathname;
    this.#configs.set(host, { ...config, refresh: { ...config.refresh, path } });
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = new URL('clock.css', script).href;
    place.replaceChildren(host, link);
  }

  /** The copy of this script that comes from the origin of a URL. The origin of a blob URL is not at its start. */
  #scriptFor(url: string): string | undefined {
    return [...this.#scripts].find(script => url.startsWith(`${new URL(script).origin}/`));
  }
}
