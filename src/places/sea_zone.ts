/**
 * The nautical zones from west to east. POSIX counts the other way: `Etc/GMT-12` is twelve hours ahead of Greenwich.
 */
const ZONES = Array.from({ length: 25 }, (_, index) => {
  const hoursEast = index - 12;
  if (hoursEast === 0) return 'Etc/GMT';
  return hoursEast > 0 ? `Etc/GMT-${hoursEast}` : `Etc/GMT+${-hoursEast}`;
});

/**
 * The nautical time zone of a longitude (−180…180): each is 15° wide, `Etc/GMT` from −7.5° to 7.5°, those at the ends
 * half as wide. On the line between two it is the eastern one, and on ±180° `Etc/GMT+12`, as geo-tz orders them.
 */
export function seaZoneAt(longitude: number): string {
  if (longitude === 180) return ZONES[0]!;
  let index = 24;
  while (index > 0 && (index - 12) * 15 - 7.5 > longitude) index--;
  return ZONES[index]!;
}
