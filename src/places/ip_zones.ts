import type { IpAddress } from './ip_address.ts';

/** Answers which time zone an address is in; undefined where that is not known. */
export interface IpZones {
  zoneNameOf(address: IpAddress): string | undefined;
  /** Whether it may place an address by coordinates, with the boundaries. */
  readonly needsBoundaries?: boolean;
}
