import { editDistance } from './edit_distance.ts';

/**
 * The names that resemble what was typed: at most `count`, nearest first, none that differs in more than a third of its
 * letters, ignoring case. For short lists of short names.
 */
export function nearest(typed: string, names: readonly string[], count: number): string[] {
  const wanted = typed.toLowerCase();
  return names
    .map(name => {
      const limit = Math.max(1, Math.floor(name.length / 3));
      return { name, limit, distance: editDistance(wanted, name.toLowerCase(), limit) };
    })
    .filter(({ distance, limit }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ name }) => name);
}
