import type { AccessControl } from '../../src/access/access_control.ts';

/** As much of an access control as the description uses: one that requires keys, also those of a marketplace. */
export function keyedAccess(isOpen: () => boolean = () => false): AccessControl {
  const access = {
    get isOpen() {
      return isOpen();
    },
    marketplace: { keyHeader: 'X-RapidAPI-Key', hostHeader: 'X-RapidAPI-Host', host: 'time.example' },
  };
  // No request to the API itself is made of it: the tests of access do that.
  return access as unknown as AccessControl;
}
