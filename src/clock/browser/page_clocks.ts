import { once } from '../../common/caching.ts';
import { type ClockConfig, type ClockOptions, nameOfZone, STYLED_OPTIONS } from '../clock_config.ts';
import { dialSetOf, inBox, written } from '../drawing/dial_label.ts';
import type { FigureSet } from '../figures/glyph_line.ts';
import type { Letters } from '../styles/style.ts';
import { FragmentLoader } from './fragment.ts';
import { offsetText, visitorsOffset, visitorsZone } from './local_offset.ts';
import { type Face, openFace, type Pace, writerOf } from './open_face.ts';
import { Stopwatch, TimeSource } from './time_source.ts';

const HOST = '[data-service-clock]';
/** An element to fill with a fragment. */
const PLACE = '[data-service-clock-src]';
/** Clocks run when they are this near the viewport. */
const NEAR = '100px';
const MINUTE_MS = 60_000;
/** If more clocks than this are visible, they are painted in the cheapest way. */
const MAX_LIVELY = 30;
/** Browser timers cannot exceed 2^31 ms. */
const MAX_TIMER_MS = 2_000_000_000;

/** All clocks of a page, which share their sources and one timer. */
export class PageClocks {
  readonly #clocks = new Map<Element, LiveClock>();
  readonly #sources = new Map<string, TimeSource>();
  readonly #fragments = new FragmentLoader();
  readonly #stopwatch = new Stopwatch();
  readonly #calm = matchMedia('(prefers-reduced-motion: reduce)');
  readonly #sight = new IntersectionObserver(entries => this.#noteSight(entries), { rootMargin: NEAR });
  readonly #changes = new MutationObserver(records => this.#follow(records));
  /** Whether a host was found before its config was parsed. */
  #hasWaiting = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    // For tabs that open in the background, return to the foreground, or come from the back-forward cache.
    document.addEventListener('visibilitychange', () => this.#resume());
    addEventListener('pageshow', () => this.#resume());
    addEventListener('beforeprint', () => this.#print());
    addEventListener('online', () => this.#retry());
    document.addEventListener('DOMContentLoaded', () => this.scan());
    this.#calm.addEventListener('change', () => this.#showAll());
  }

  /**
   * Starts the clocks of a document or shadow tree, and those that are inserted later. `script` is the URL of a copy of
   * this script, from whose origin fragments may be loaded.
   */
  scan(root: Document | ShadowRoot = document, script?: string): void {
    if (script !== undefined) this.#fragments.allow(script);
    // Observing the same root again changes nothing.
    const attributeFilter = ['data-service-clock-src'];
    this.#changes.observe(root, { childList: true, subtree: true, attributeFilter });
    this.#hasWaiting = false;
    for (const host of root.querySelectorAll(HOST)) if (!this.#clocks.has(host)) this.#open(host);
    this.#fragments.load(root.querySelectorAll(PLACE));
    this.#tick();
  }

  #open(host: Element): void {
    try {
      const config = this.#fragments.configOf(host) ?? configBeside(host);
      if (config?.version !== 'v1') {
        this.#hasWaiting = true;
        return;
      }
      const isVisitors = config.refresh.selector.kind === 'visitor';
      const local = isVisitors ? inVisitorsZone(config) : config;
      applyStyle(host, config.options);
      const draw = () => {
        if (local.timezone_label !== config.timezone_label) writePlace(host, local);
        return openFace(host, local);
      };
      this.#clocks.set(host, new LiveClock(host, draw, this.#sourceOf(local)));
      this.#sight.observe(host);
    } catch (error) {
      // A clock that cannot run remains a picture; the others still run.
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
    const renamed = records.flatMap(({ type, target }) => (type === 'attributes' ? [target as Element] : []));
    this.#fragments.load(renamed.filter(place => place.matches(PLACE)));
    if (records.some(({ removedNodes }) => hasElement(removedNodes))) this.#forgetRemoved();
    const added = this.#hasWaiting ? `${HOST},${PLACE},script` : `${HOST},${PLACE}`;
    if (!records.some(({ addedNodes }) => hasElement(addedNodes, added))) return;
    for (const root of new Set(records.map(({ target }) => target.getRootNode()))) {
      if (root instanceof Document || root instanceof ShadowRoot) this.scan(root);
    }
  }

  #forgetRemoved(): void {
    for (const [host, { source }] of this.#clocks) {
      if (host.isConnected) continue;
      this.#clocks.delete(host);
      this.#sight.unobserve(host);
      if ([...this.#clocks.values()].some(clock => clock.source === source)) continue;
      source.close();
      for (const [key, known] of this.#sources) if (known === source) this.#sources.delete(key);
    }
    this.#schedule();
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

  #resume(): void {
    const readMs = this.#stopwatch.read();
    if (!document.hidden) for (const source of this.#sources.values()) source.resume(readMs);
    this.#showAll();
  }

  /** Updates all clocks before printing. */
  #print(): void {
    const readMs = this.#stopwatch.read();
    for (const clock of this.#clocks.values()) this.#show(clock, readMs, 'calm');
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

  /** Performs due updates unless the page is hidden. */
  #tick(): void {
    if (!document.hidden) {
      const sleeps = this.#stopwatch.sleeps;
      const readMs = this.#stopwatch.read();
      const hasSlept = this.#stopwatch.sleeps !== sleeps;
      for (const source of this.#sources.values()) source.refresh(readMs);
      const pace = this.#pace();
      for (const clock of this.#clocks.values()) {
        const isDue = hasSlept || clock.dueMs <= readMs + TOGETHER_MS;
        if (clock.isInSight && isDue) this.#show(clock, readMs, pace);
      }
    }
    this.#schedule();
  }

  #pace(): Pace {
    let inSight = 0;
    for (const clock of this.#clocks.values()) if (clock.isInSight) inSight++;
    if (inSight > MAX_LIVELY) return 'crowded';
    // A page that is being parsed may still become crowded; in Chromium, elements that were ever animated remain more expensive.
    const isWhole = document.readyState !== 'loading';
    return isWhole && !this.#calm.matches ? 'lively' : 'calm';
  }

  #show(clock: LiveClock, readMs: number, pace: Pace): void {
    try {
      clock.show(readMs, pace);
    } catch (error) {
      // The output of some formats is too long at some moments; this clock then pauses, and the others still run.
      clock.dueMs = readMs + MINUTE_MS;
      console.warn(error);
    }
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (document.hidden || this.#clocks.size === 0) return;
    let dueMs = Number.POSITIVE_INFINITY;
    for (const clock of this.#clocks.values()) if (clock.isInSight) dueMs = Math.min(dueMs, clock.dueMs);
    for (const source of this.#sources.values()) dueMs = Math.min(dueMs, source.dueMs);
    const inMs = Math.max(0, Math.min(dueMs - this.#stopwatch.read(), MAX_TIMER_MS));
    this.#timer = setTimeout(() => this.#tick(), Math.ceil(inMs));
  }
}

/** Sets the properties in the server-rendered `style` attribute, which a page's policy may forbid. */
function applyStyle(host: Element, options: ClockOptions = {}): void {
  for (const name of STYLED_OPTIONS) {
    const value = options[name];
    if (value !== undefined) (host as HTMLElement).style.setProperty(`--service-clock-${name}`, value);
  }
}

/**
 * The config of a host, in the form written by the server: a JSON script inside or next to the host, which sanitised content
 * cannot contain. Undefined while it is missing or incomplete.
 */
function configBeside(host: Element): ClockConfig | undefined {
  const id = host.getAttribute('data-clock-config-id') ?? '';
  const element = (host.getRootNode() as Document | ShadowRoot).getElementById(id);
  if (!element?.matches('script[type="application/json"]')) return undefined;
  if (!host.parentNode?.contains(element)) return undefined;
  try {
    return JSON.parse(element.textContent) as ClockConfig;
  } catch {
    return undefined;
  }
}

/** Whether any node is, or contains, an element that matches a selector. */
function hasElement(nodes: NodeList, selector = '*'): boolean {
  return [...nodes].some(
    node => node instanceof Element && (node.matches(selector) || node.querySelector(selector) !== null),
  );
}

const SECOND_MS = 1000;
/** Clocks due within this time are shown together, so that clocks whose seconds differ slightly share a tick. */
const TOGETHER_MS = 8;

class LiveClock {
  readonly source: TimeSource;
  /** When to show it next, by the stopwatch. */
  dueMs = 0;
  /** Whether it is near the viewport, as last reported by the browser. */
  isInSight = false;
  readonly #host: Element;
  readonly #face: () => Face;

  /** `open` finds the parts of the face when it is first shown, since on a page with many clocks most are initially off-screen. */
  constructor(host: Element, open: () => Face, source: TimeSource) {
    this.#host = host;
    this.source = source;
    this.#face = once(open);
  }

  show(readMs: number, pace: Pace): void {
    const nowMs = this.source.epochMsAt(readMs);
    const aheadMs = SECOND_MS - mod(nowMs, SECOND_MS);
    // Just before a second, show that second.
    const isEarly = aheadMs <= TOGETHER_MS;
    const shownMs = Math.round(isEarly ? nowMs + aheadMs : nowMs);
    this.dueMs = readMs + aheadMs + (isEarly ? SECOND_MS : 0);
    this.#set('data-unsynchronised', !this.source.isSynchronised);
    this.#set('data-calm', pace !== 'lively');
    this.#set('data-crowded', pace === 'crowded');
    const drawnMs = pace === 'lively' ? shownMs : shownMs - mod(shownMs, SECOND_MS);
    this.#face()(this.source.momentAt(drawnMs), pace);
  }

  /** Sets an attribute that the stylesheet uses. */
  #set(attribute: string, isSet: boolean): void {
    if (this.#host.hasAttribute(attribute) !== isSet) this.#host.toggleAttribute(attribute, isSet);
  }
}

function mod(value: number, by: number): number {
  return ((value % by) + by) % by;
}

const HOUR_MS = 3_600_000;

/** The config of a clock in the visitor's zone, with the browser's name of that zone. */
function inVisitorsZone(config: ClockConfig): ClockConfig {
  const { unix_ms, timezone_label: label, refresh } = config;
  const timezone = visitorsZone();
  const offset_seconds = visitorsOffset(unix_ms);
  const abbreviation = offsetText(offset_seconds);
  const offset = { offset_seconds, offset_minutes: Math.round(offset_seconds / 60), abbreviation };
  return {
    ...config,
    ...offset,
    timezone,
    // A label chosen by the page is unchanged.
    timezone_label: label === config.timezone ? nameOfZone(timezone) : label,
    // A dummy change, after which the clock requests the next one from the server.
    transition: { unix_ms: unix_ms + HOUR_MS, ...offset },
    refresh: { ...refresh, selector: { kind: 'tz', tz: timezone } },
  };
}

/** Replaces the name of the place on a server-rendered face. */
function writePlace(host: Element, { timezone_label: place, glyphs = {} }: ClockConfig): void {
  host.querySelector('[role="timer"]')?.setAttribute('aria-label', `Time in ${place}`);
  for (const type of host.querySelectorAll('span.sc-place')) type.textContent = place;
  for (const line of host.querySelectorAll('[data-place]')) {
    const [letters, set] = line.getAttribute('data-place')!.split(' ') as [Letters, FigureSet | 'dial'];
    const isDial = set === 'dial';
    const write = writerOf(glyphs[isDial ? dialSetOf(place) : set]);
    const { viewBox, lit, tail, unlit, type = '', length = 0 } = write(written(place, letters));
    line.setAttribute('viewBox', isDial ? inBox(viewBox) : viewBox);
    for (const path of line.querySelectorAll('path'))
      path.setAttribute('d', path.matches('.sc-unlit') ? unlit : lit + tail);
    const text = line.querySelector('text');
    if (text) text.textContent = type;
    text?.setAttribute('textLength', String(length));
  }
}
