import { editDistance } from './edit_distance.ts';

/**
 * The names that are a slip away from what was typed: at most `count`, the nearest first, none that differs in more
 * than a third of its letters. Letter case does not count. Meant for short lists and short names.
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
