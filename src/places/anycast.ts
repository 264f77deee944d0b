import { once } from '../common/caching.ts';
import type { IpAddress } from './ip_address.ts';
import { NetworkMap, parseNetwork } from './network.ts';

/** Networks that are announced from many places at once, so that no database can locate their addresses. */
const ANYCAST: readonly { readonly source: string; readonly networks: string }[] = [
  {
    source:
      'Cloudflare: https://www.cloudflare.com/ips/, and its resolver, https://developers.cloudflare.com/1.1.1.1/',
    networks:
      '1.0.0.0/24 1.1.1.0/24 173.245.48.0/20 103.21.244.0/22 103.22.200.0/22 103.31.4.0/22 141.101.64.0/18 108.162.192.0/18 ' +
      '190.93.240.0/20 188.114.96.0/20 197.234.240.0/22 198.41.128.0/17 162.158.0.0/15 104.16.0.0/13 104.24.0.0/14 172.64.0.0/13 ' +
      '131.0.72.0/22 2400:cb00::/32 2606:4700::/32 2803:f800::/32 2405:b500::/32 2405:8100::/32 2a06:98c0::/29 2c0f:f248::/32',
  },
  {
    source: 'Google Public DNS: https://developers.google.com/speed/public-dns/docs/using',
    networks: '8.8.4.0/24 8.8.8.0/24 2001:4860:4860::/48',
  },
  {
    source: 'Quad9: https://quad9.net/service/service-addresses-and-features/',
    networks: '9.9.9.0/24 149.112.112.0/24 2620:fe::/48',
  },
  {
    source: 'OpenDNS: https://www.opendns.com/setupguide/',
    networks: '208.67.220.0/24 208.67.222.0/24 2620:119:35::/48 2620:119:53::/48',
  },
  {
    source: 'AdGuard DNS: https://adguard-dns.io/en/public-dns.html',
    networks: '94.140.14.0/24 94.140.15.0/24 2a10:50c0::/48',
  },
  {
    source: 'AS112: RFC 7534 §3.4 and RFC 7535 §3',
    networks: '192.31.196.0/24 192.175.48.0/24 2001:4:112::/48 2620:4f:8000::/48',
  },
  {
    source: 'Relays of 6to4: RFC 3068 §2.4, deprecated by RFC 7526',
    networks: '192.88.99.0/24',
  },
  {
    source: 'Root name servers: https://www.internic.net/domain/named.root, https://root-servers.org/',
    networks:
      '198.41.0.0/24 170.247.170.0/24 192.33.4.0/24 199.7.91.0/24 192.203.230.0/24 192.5.5.0/24 192.112.36.0/24 198.97.190.0/24 ' +
      '192.36.148.0/24 192.58.128.0/24 193.0.14.0/24 199.7.83.0/24 202.12.27.0/24 2001:503:ba3e::/48 2801:1b8:10::/48 2001:500:2::/48 ' +
      '2001:500:2d::/48 2001:500:a8::/48 2001:500:2f::/48 2001:500:12::/48 2001:500:1::/48 2001:7fe::/48 2001:503:c27::/48 ' +
      '2001:7fd::/48 2001:500:9f::/48 2001:dc3::/48',
  },
];

/** Parsed on first use, to keep startup fast. */
const networks = once(() => {
  const texts = ANYCAST.flatMap(({ networks }) => networks.split(' '));
  return new NetworkMap(texts.map(text => [parseNetwork(text), true]));
});

/** Whether an address is in a well-known anycast network. */
export function isAnycast(address: IpAddress): boolean {
  return networks().get(address) !== undefined;
}
