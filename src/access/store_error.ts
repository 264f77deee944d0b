/** The token store cannot be used; the message names the file and says what to do. Nothing in the file was changed. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  /** Whether another process merely held the file just now: the next time it may go well. */
  readonly isBusy: boolean;

  constructor(message: string, isBusy = false) {
    super(message);
    this.isBusy = isBusy;
  }
}
