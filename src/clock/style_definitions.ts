import type { StyleDefinition } from './style_definition.ts';
import type { StyleName } from './style_names.ts';
import { STYLES } from './styles/styles.ts';

/** What the config of a clock says of its style. */
export function styleDefinition(style: StyleName): StyleDefinition {
  return STYLES[style].definition;
}
