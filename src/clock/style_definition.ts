/** What the renderers draw a clock from. It goes into the config of each clock, so the script needs no table of styles. */
export interface StyleDefinition {
  readonly family: 'analog' | 'digital';
  readonly renderer: 'svg' | 'segment' | 'matrix' | 'flap' | 'text';
}
