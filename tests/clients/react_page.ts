/** A page of React, for the tests of clocks in it: bundled by `tests/clock/host_pages.test.ts`, which drives it by the global `reactPage`. */
import { createElement, type ReactNode, StrictMode } from 'react';
import { createRoot, hydrateRoot, type Root } from 'react-dom/client';

/** What the page shows; a test changes it and renders again. */
export interface ReactPageProps {
  /** The value of `data-service-clock-src`, or none: the clock is not in the page. */
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
    // biome-ignore lint/security/noDangerouslySetInnerHtml: pages that do so with a fragment are what is tested.
    fragment !== undefined && createElement('div', { dangerouslySetInnerHTML: { __html: fragment } }),
    createElement('p', null, 'After'),
  );
}

export interface ReactPageDriver {
  render(container: Element, props: ReactPageProps): void;
  /** Takes over markup that a server rendered. */
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
