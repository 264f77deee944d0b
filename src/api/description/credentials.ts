import type { AccessControl } from '../../access/access_control.ts';
import type { ApiDocument } from './document.ts';

/** Whether a server requires credentials at this moment. */
export function requiresKeys(access: AccessControl | null): boolean {
  return access !== null && !access.isOpen;
}

/** The credentials that a server accepts: alternatives, of which the marketplace's belong together. */
export function securityOf(access: AccessControl | null): {
  readonly security?: NonNullable<ApiDocument['security']>;
  readonly securitySchemes?: NonNullable<ApiDocument['components']['securitySchemes']>;
} {
  if (!requiresKeys(access)) return {};
  const direct = {
    bearer: { type: 'http', scheme: 'bearer' },
    apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  };
  const marketplace = access?.marketplace;
  if (marketplace === undefined) {
    return { security: [{ bearer: [] }, { apiKey: [] }], securitySchemes: direct };
  }
  return {
    security: [{ bearer: [] }, { apiKey: [] }, { marketplaceKey: [], marketplaceHost: [] }],
    securitySchemes: {
      ...direct,
      marketplaceKey: { type: 'apiKey', in: 'header', name: marketplace.keyHeader },
      marketplaceHost: { type: 'apiKey', in: 'header', name: marketplace.hostHeader },
    },
  };
}
