import type { ClockConfig } from './clock_config.ts';

/** The name of a place as a face has it: the city of a zone that is labelled with its own name, else the label as it is. */
export function placeOf({ timezone_label: label }: Pick<ClockConfig, 'timezone_label'>): string {
  if (!/^[A-Za-z_]+(\/[A-Za-z0-9_+-]+)+$/.test(label)) return label;
  return label.slice(label.lastIndexOf('/') + 1).replaceAll('_', ' ');
}
