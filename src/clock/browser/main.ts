import { PageClocks } from './page_clocks.ts';

/** The only global of this script, set by its first copy in a page. */
interface ServiceClock {
  readonly version: 'v1';
  /** Starts the clocks of the document, or of a shadow tree; `script` is the URL of a copy of this script. */
  scan(root?: Document | ShadowRoot, script?: string): void;
}

const scope = globalThis as { serviceClock?: Partial<ServiceClock> };

// An element with this id would also be a global with this name.
if (scope.serviceClock?.version !== 'v1') {
  const clocks = new PageClocks();
  const serviceClock: ServiceClock = Object.freeze({
    version: 'v1',
    scan: (root?: Document | ShadowRoot, script?: string) => clocks.scan(root, script),
  });
  scope.serviceClock = serviceClock;
}
const { currentScript } = document;
const url = currentScript instanceof HTMLScriptElement && currentScript.src;
scope.serviceClock.scan!(document, url || location.href);
