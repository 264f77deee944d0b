import type { AccessControl } from '../../access/access_control.ts';
import type { ApiDocument } from './document.ts';

/** Whether a server currently requires credentials. */
export function requiresKeys(access: AccessControl | null): boolean {
  return access !== null && !access.isOpen;
}

/** The alternative credentials that a server accepts. The marketplace's two headers belong together. */
export function securityOf(access: AccessControl | null): {
  readonly security: ApiDocument['security'];
  readonly securitySchemes?: ApiDocument['components']['securitySchemes'];
} {
  if (access === null || !requiresKeys(access)) return { security: [] };
  const header = (name: string) => ({ type: 'apiKey', in: 'header', name });
  const direct = { bearer: { type: 'http', scheme: 'bearer' }, apiKey: header('X-API-Key') };
  const { marketplace } = access;
  if (!marketplace) return { security: [{ bearer: [] }, { apiKey: [] }], securitySchemes: direct };
  const { keyHeader, hostHeader } = marketplace;
  return {
    security: [{ bearer: [] }, { apiKey: [] }, { marketplaceKey: [], marketplaceHost: [] }],
    securitySchemes: { ...direct, marketplaceKey: header(keyHeader), marketplaceHost: header(hostHeader) },
  };
}
