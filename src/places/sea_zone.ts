/**
 * The nautical time zone of a longitude (−180…180): each is 15° wide, `Etc/GMT` from −7.5° to 7.5°, those at the ends
 * half as wide. On the line between two it is the eastern one, and on ±180° `Etc/GMT+12`, as geo-tz orders them.
 */
export function seaZoneAt(longitude: number): string {
  if (longitude === 180) return 'Etc/GMT+12';
  let hoursEast = 12;
  while (hoursEast > -12 && hoursEast * 15 - 7.5 > longitude) hoursEast--;
  // POSIX counts the other way: Etc/GMT-3 is three hours ahead of Greenwich.
  if (hoursEast === 0) return 'Etc/GMT';
  return hoursEast > 0 ? `Etc/GMT-${hoursEast}` : `Etc/GMT+${-hoursEast}`;
}
