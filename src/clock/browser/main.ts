import { PageClocks } from './page_clocks.ts';

/** The only global of this script, set by the first of its copies in a page. */
interface ServiceClock {
  readonly version: 'v1';
  /** Starts the clocks of the document, or of a shadow tree. */
  scan(root?: Document | ShadowRoot): void;
}

const scope = globalThis as { serviceClock?: Partial<ServiceClock> };

// An element with that id would also be a global of that name.
if (scope.serviceClock?.version !== 'v1') {
  const clocks = new PageClocks();
  const serviceClock: ServiceClock = Object.freeze({
    version: 'v1',
    scan: (root?: Document | ShadowRoot) => clocks.scan(root),
  });
  scope.serviceClock = serviceClock;
}
scope.serviceClock.scan!();
