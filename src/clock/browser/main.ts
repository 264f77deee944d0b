import { PageClocks } from './page_clocks.ts';

/** What this script leaves in a page: one object, whichever of its copies came first. */
interface ServiceClock {
  readonly version: 'v1';
  /** Finds the clocks of a shadow tree too, which the page has to name. */
  scan(root?: Document | ShadowRoot): void;
}

const scope = globalThis as { serviceClock?: Partial<ServiceClock> };

// An element of the page can have that id, and stand there by its name.
if (scope.serviceClock?.version !== 'v1') {
  const clocks = new PageClocks();
  const serviceClock: ServiceClock = Object.freeze({
    version: 'v1',
    scan: (root?: Document | ShadowRoot) => clocks.scan(root),
  });
  scope.serviceClock = serviceClock;
}
scope.serviceClock.scan!();
