/** Thrown where something is wanted that is still being loaded: wait for `loaded`, and ask again. */
export class StillLoading extends Error {
  override readonly name = 'StillLoading';
  /** Is rejected where it cannot be loaded. */
  readonly loaded: Promise<void>;

  constructor(loaded: Promise<void>) {
    super('What is wanted is still being loaded');
    this.loaded = loaded;
  }
}
