import type { ClockConfig } from '../clock_config.ts';
import { LiveClock, type Pace, TOGETHER_MS } from './live_clock.ts';
import { loadFragments } from './load_fragment.ts';
import { Stopwatch } from './stopwatch.ts';
import { TimeSource } from './time_source.ts';

const HOST = '[data-service-clock]';
/** Where a fragment is to be put. */
const PLACE = '[data-service-clock-src]';
/** Clocks this near to the screen are kept going already. */
const NEAR = '100px';
const MINUTE_MS = 60_000;
/** More clocks than this in sight are crowded: what one of them may cost a page is too much for a hundred. */
const MANY = 30;
/** The longest that a browser's timer can be set to is 2^31 ms. */
const LONGEST_MS = 2_000_000_000;

/** All clocks of a page: finds them, lets them share their sources and one timer, and forgets those that are removed. */
export class PageClocks {
  readonly #clocks = new Map<Element, LiveClock>();
  readonly #sources = new Map<string, TimeSource>();
  readonly #stopwatch = new Stopwatch();
  readonly #calm = matchMedia('(prefers-reduced-motion: reduce)');
  readonly #sight = new IntersectionObserver(entries => this.#noteSight(entries), { rootMargin: NEAR });
  readonly #changes = new MutationObserver(records => this.#follow(records));
  /** Whether a host was seen whose config was not there yet. */
  #hasWaiting = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    // A new tab that was never looked at, one that is looked at again, one from the back-forward cache.
    document.addEventListener('visibilitychange', () => this.#welcome());
    addEventListener('pageshow', () => this.#welcome());
    addEventListener('online', () => this.#retry());
    document.addEventListener('DOMContentLoaded', () => this.scan());
    this.#calm.addEventListener('change', () => this.#showAll());
  }

  /** Finds the clocks of a document, now and later; those of a shadow tree when it is told of that. */
  scan(root: Document | ShadowRoot = document): void {
    // To observe what is observed already changes nothing.
    this.#changes.observe(root, { childList: true, subtree: true });
    this.#hasWaiting = false;
    for (const host of root.querySelectorAll(HOST)) if (!this.#clocks.has(host)) this.#open(host);
    loadFragments(root.querySelectorAll(PLACE));
    this.#tick();
  }

  #open(host: Element): void {
    const config = configOf(host);
    if (config === undefined) {
      this.#hasWaiting = true;
      return;
    }
    try {
      this.#clocks.set(host, new LiveClock(host, config, this.#sourceOf(config)));
      this.#sight.observe(host);
    } catch (error) {
      // One clock that cannot be kept going stays the picture that it is.
      console.warn(error);
    }
  }

  #sourceOf(config: ClockConfig): TimeSource {
    const { pinned, unix_ms, timezone, refresh } = config;
    const key = JSON.stringify(pinned ? [unix_ms, timezone] : [refresh.path, refresh.selector]);
    const known = this.#sources.get(key);
    if (known !== undefined && !pinned) known.offer(config);
    const source = known ?? new TimeSource(config, this.#stopwatch, () => this.#showAll());
    this.#sources.set(key, source);
    return source;
  }

  #follow(records: readonly MutationRecord[]): void {
    const isRemoval = records.some(({ removedNodes }) => hasElement(removedNodes));
    if (isRemoval) this.#forgetRemoved();
    const isAddition = records.some(({ addedNodes }) =>
      hasElement(addedNodes, this.#hasWaiting ? '*' : `${HOST},${PLACE}`),
    );
    if (!isAddition) return;
    for (const root of new Set(records.map(({ target }) => target.getRootNode()))) {
      if (root instanceof Document || root instanceof ShadowRoot) this.scan(root);
    }
  }

  #forgetRemoved(): void {
    for (const [host, { source }] of this.#clocks) {
      if (host.isConnected) continue;
      this.#clocks.delete(host);
      this.#sight.unobserve(host);
      this.#forgetUnused(source);
    }
    this.#schedule();
  }

  #forgetUnused(source: TimeSource): void {
    if ([...this.#clocks.values()].some(clock => clock.source === source)) return;
    source.close();
    for (const [key, known] of this.#sources) if (known === source) this.#sources.delete(key);
  }

  #noteSight(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const clock = this.#clocks.get(target);
      if (clock === undefined) continue;
      if (isIntersecting && !clock.isInSight) clock.dueMs = 0;
      clock.isInSight = isIntersecting;
    }
    this.#tick();
  }

  #welcome(): void {
    const readMs = this.#stopwatch.read();
    if (!document.hidden) for (const source of this.#sources.values()) source.welcome(readMs);
    this.#showAll();
  }

  #retry(): void {
    const readMs = this.#stopwatch.read();
    for (const source of this.#sources.values()) source.retry(readMs);
    this.#schedule();
  }

  #showAll(): void {
    for (const clock of this.#clocks.values()) clock.dueMs = 0;
    this.#tick();
  }

  /** Does what is due. A page that nobody sees does nothing. */
  #tick(): void {
    if (!document.hidden) {
      const sleeps = this.#stopwatch.sleeps;
      const readMs = this.#stopwatch.read();
      const isAwoken = this.#stopwatch.sleeps !== sleeps;
      for (const source of this.#sources.values()) source.attend(readMs);
      const pace = this.#pace();
      for (const clock of this.#clocks.values()) {
        const isDue = isAwoken || clock.dueMs <= readMs + TOGETHER_MS;
        if (clock.isInSight && isDue) this.#show(clock, readMs, pace);
      }
    }
    this.#schedule();
  }

  #pace(): Pace {
    let inSight = 0;
    for (const clock of this.#clocks.values()) if (clock.isInSight) inSight++;
    if (inSight > MANY) return 'crowded';
    return this.#calm.matches ? 'calm' : 'lively';
  }

  #show(clock: LiveClock, readMs: number, pace: Pace): void {
    try {
      clock.show(readMs, pace);
    } catch (error) {
      // Its format writes more at some moments than may be: it stands still, and the others go on.
      clock.dueMs = readMs + MINUTE_MS;
      console.warn(error);
    }
  }

  /** Sets the one timer of the page to what is due next. */
  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (document.hidden || this.#clocks.size === 0) return;
    let dueMs = Number.POSITIVE_INFINITY;
    for (const clock of this.#clocks.values()) if (clock.isInSight) dueMs = Math.min(dueMs, clock.dueMs);
    for (const source of this.#sources.values()) dueMs = Math.min(dueMs, source.dueMs);
    const inMs = Math.max(0, Math.min(dueMs - this.#stopwatch.read(), LONGEST_MS));
    this.#timer = setTimeout(() => this.#tick(), Math.ceil(inMs));
  }
}

/** The config of a host; undefined while it is not there, or not there as a whole. */
function configOf(host: Element): ClockConfig | undefined {
  const id = host.getAttribute('data-clock-config-id') ?? '';
  const element = (host.getRootNode() as Document | ShadowRoot).getElementById(id);
  try {
    const config = JSON.parse(element?.textContent ?? '') as ClockConfig;
    return config.version === 'v1' ? config : undefined;
  } catch {
    return undefined;
  }
}

/** Whether there is an element among nodes that matches a selector, or has one within that does. */
function hasElement(nodes: NodeList, selector = '*'): boolean {
  return [...nodes].some(
    node => node instanceof Element && (node.matches(selector) || node.querySelector(selector) !== null),
  );
}
