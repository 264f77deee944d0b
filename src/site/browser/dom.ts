import { ASSET_PATHS } from '../../clock/clock_config.ts';

/** The element inside `root` that matches a selector. Throws if the page has none. */
export function one<Found extends HTMLElement = HTMLElement>(root: ParentNode, selector: string): Found {
  const found = root.querySelector<Found>(selector);
  if (found === null) throw new Error(`The page has no ${selector}`);
  return found;
}

/** Sets the text of an element, if it differs. */
export function write(root: ParentNode, selector: string, text: string): void {
  const element = one(root, selector);
  if (element.textContent !== text) element.textContent = text;
}

export function make(name: string, className: string, ...content: (Node | string)[]): HTMLElement {
  const element = document.createElement(name);
  element.className = className;
  element.append(...content);
  return element;
}

/** Briefly shows on a button that the text has been copied. */
export function confirmCopy(button: HTMLElement): void {
  const label = button.textContent;
  if (label === 'Copied') return;
  button.textContent = 'Copied';
  setTimeout(() => {
    button.textContent = label;
  }, 1500);
}

/** Calls `run` once, when one of the elements is at most half a screen away. */
export function whenNear(elements: Iterable<Element>, run: () => void): void {
  const observer = new IntersectionObserver(
    entries => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      run();
    },
    { rootMargin: '50% 0px' },
  );
  for (const element of elements) observer.observe(element);
}

const turns = new WeakMap<Element, object>();

/**
 * Starts an update of `place`. The returned function says whether it is still the latest one, since responses may arrive
 * out of order and an older one must not replace a newer one.
 */
export function takeTurn(place: Element): () => boolean {
  const turn = {};
  turns.set(place, turn);
  return () => turns.get(place) === turn;
}

/** Parses a clock fragment. The page loads its stylesheet and script once. */
export function clockOf(html: string): DocumentFragment {
  const template = document.createElement('template');
  // The page's policy forbids the attribute; the clock script sets the same properties.
  template.innerHTML = html.replace(/ style="--service-clock-[^"]*"/, '');
  const { content } = template;
  for (const element of content.querySelectorAll('link, script[src]')) element.remove();
  loadAssets();
  return content;
}

/** Loads the clock stylesheet and script, unless the page already has them. */
export function loadAssets(): void {
  const { stylesheet, script: source } = ASSET_PATHS;
  if (!document.querySelector(`link[href="${stylesheet}"]`)) {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = stylesheet;
    document.head.append(link);
  }
  if (document.querySelector(`script[src="${source}"]`)) return;
  // Browsers run scripts created by scripts, but not those parsed in a fragment.
  const script = document.createElement('script');
  script.src = source;
  document.head.append(script);
}
