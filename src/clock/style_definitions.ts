import type { StyleDefinition } from './style_definition.ts';
import type { StyleName } from './style_names.ts';

export function styleDefinition(style: StyleName): StyleDefinition {
  return style.startsWith('analog-')
    ? { family: 'analog', renderer: 'svg' }
    : { family: 'digital', renderer: 'text' };
}
