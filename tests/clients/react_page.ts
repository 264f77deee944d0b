/** A React page with clocks, bundled by `tests/clock/host_pages.test.ts`, which drives it through the global `reactPage`. */
import { createElement, type ReactNode, StrictMode } from 'react';
import { createRoot, hydrateRoot, type Root } from 'react-dom/client';

/** The state of the page; a test changes it and renders again. */
export interface ReactPageProps {
  /** The value of `data-service-clock-src`, or none if the clock is not in the page. */
  readonly source?: string;
  /** The text of the link inside, for visitors without scripts. */
  readonly label?: string;
  /** A fragment, as the content of an element. */
  readonly fragment?: string;
}

export function ReactPage({ source, label, fragment }: ReactPageProps): ReactNode {
  return createElement(
    StrictMode,
    null,
    createElement('p', null, `Before ${label}`),
    source !== undefined &&
      createElement('div', { 'data-service-clock-src': source }, createElement('a', { href: source }, label)),
    // biome-ignore lint/security/noDangerouslySetInnerHtml: the tests are about pages that do so with a fragment.
    fragment !== undefined && createElement('div', { dangerouslySetInnerHTML: { __html: fragment } }),
    createElement('p', null, 'After'),
  );
}

export interface ReactPageDriver {
  render(container: Element, props: ReactPageProps): void;
  /** Hydrates server-rendered markup. */
  hydrate(container: Element, props: ReactPageProps): void;
}

const roots = new WeakMap<Element, Root>();

const reactPage: ReactPageDriver = {
  render(container, props) {
    const root = roots.get(container) ?? createRoot(container);
    roots.set(container, root);
    root.render(createElement(ReactPage, props));
  },
  hydrate(container, props) {
    roots.set(container, hydrateRoot(container, createElement(ReactPage, props)));
  },
};

Object.assign(globalThis, { reactPage });
