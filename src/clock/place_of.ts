import type { ClockConfig } from './clock_config.ts';

type Labelled = Pick<ClockConfig, 'timezone_label'>;

/**
 * What a face has as its place. A digital one that is named by its offset has `UTC`, and the rest beside it; a dial has
 * the whole name, since a small one shows no more than that.
 */
export function placeOf(config: Pick<ClockConfig, 'timezone_label' | 'styleDefinition'>): string {
  if (!isNamedByOffset(config)) return nameOf(config);
  return config.styleDefinition.family === 'digital' ? 'UTC' : nameOf(config).replace('-', '\u2212');
}

/** Whether a clock is called `UTC` or `UTC-04:00`, which the offset need not say again. */
export function isNamedByOffset({ timezone_label: label }: Labelled): boolean {
  return /^UTC([+-]\d.*)?$/.test(label);
}

/** The name of a place: the city of a zone that is labelled with its own name, else the label as it is. */
export function nameOf({ timezone_label: label }: Labelled): string {
  if (!/^[A-Za-z_]+(\/[A-Za-z0-9_+-]+)+$/.test(label)) return label;
  return label.slice(label.lastIndexOf('/') + 1).replaceAll('_', ' ');
}
