import type { Moment } from '../common/moment.ts';

/** A face that was drawn by the server, and is kept up to date in a page. */
export interface Face {
  /** Shows a moment. Touches only what differs from what is shown, and with `isCoarse` what differs in a small picture. */
  show(moment: Moment, isCoarse?: boolean): void;
  /** How long what is shown at a moment holds, in milliseconds: 1000 for a face that moves on the second. */
  readonly beatMs: number;
}
