import type { AccessControl } from '../../src/access/access_control.ts';

/** The part of an access control that the description uses: it requires keys, also marketplace keys. */
export function keyedAccess(isOpen: () => boolean = () => false): AccessControl {
  const access = {
    get isOpen() {
      return isOpen();
    },
    marketplace: { keyHeader: 'X-RapidAPI-Key', hostHeader: 'X-RapidAPI-Host', host: 'time.example' },
  };
  // Never used for API requests; the access tests cover those.
  return access as unknown as AccessControl;
}
