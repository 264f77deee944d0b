import { Html } from '@elysiajs/html';
import { flapsOf } from '../flaps.ts';

/** Draws a row of flaps at rest. */
export function drawFlaps(text: string): string {
  return flapsOf(text)
    .map(flap =>
      flap.kind === 'card' ? (
        <span class="sc-card">
          <b safe>{flap.character}</b>
          <b safe>{flap.character}</b>
        </span>
      ) : (
        <span class={`sc-${flap.kind}`} />
      ),
    )
    .join('');
}
