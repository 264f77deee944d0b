import type { Box } from '../drawing/box.ts';
import type { Dial } from '../drawing/dial.ts';
import type { AnalogDefinition, DigitalDefinition } from '../style_definition.ts';

/** A style: what its face shows, and what the server draws it from. */
export type Style = AnalogStyle | DigitalStyle;

/** A style with hands, and the dial that they turn on. */
export interface AnalogStyle {
  readonly definition: AnalogDefinition;
  readonly dial: Dial;
}

/** A style with figures, and the boxes that they stand in. */
export interface DigitalStyle {
  readonly definition: DigitalDefinition;
  readonly boxes: readonly Box[];
}
