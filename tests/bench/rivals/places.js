/** The zone of an address or of coordinates: maxmind with its cache over meridian's own IP data, geo-tz. */
import { find } from 'geo-tz/all';
import maxmind from 'maxmind';
import { BadRequest } from './bad_request.js';

const addresses = await maxmind.open(process.env.IP_DATABASE);

export function zoneOfIp(ip) {
  if (!maxmind.validate(ip)) throw new BadRequest('INVALID_PARAMETER', `'${ip}' is not an IP address`);
  const zone = addresses.get(ip)?.time_zone;
  if (!zone) throw new BadRequest('INVALID_PARAMETER', `No zone is known for '${ip}'`);
  return zone;
}

export function zoneOfCoordinates(lat, lon) {
  const latitude = Number(lat);
  const longitude = Number(lon);
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) {
    throw new BadRequest('INVALID_PARAMETER', `'${lat}', '${lon}' are not coordinates`);
  }
  return find(latitude, longitude)[0];
}
