import { Html } from '@elysiajs/html';
import { WEEKDAYS_SHORT } from '../../text/names.ts';
import type { Gauge } from './box.ts';
import { slot } from './slots.ts';

/** Around the face, from the middle of its top, clockwise. */
const ROUND = 'M125 5H235A10 10 0 0 1 245 15V85A10 10 0 0 1 235 95H15A10 10 0 0 1 5 85V15A10 10 0 0 1 15 5z';

/** Draws what grows with the time. */
export function drawGauge(gauge: Gauge): JSX.Element {
  if (gauge === 'week') {
    return (
      <span class="sc-week" data-part="week" data-day={slot('week@data-day')}>
        {WEEKDAYS_SHORT.map(name => (
          <i safe>{name}</i>
        ))}
      </span>
    );
  }
  if (gauge === 'cursor') {
    return <span class="sc-cursor" data-part="cursor" data-dim={slot('cursor@data-dim')} />;
  }
  if (gauge === 'dots') {
    return (
      <svg class="sc-dots" viewBox="0 0 250 100" aria-hidden="true">
        <path class="sc-unlit" d={ROUND} pathLength="60" stroke-dasharray="0 1" />
        <path
          class="sc-lit"
          d={ROUND}
          pathLength="60"
          data-part="dots"
          stroke-dasharray={slot('dots@stroke-dasharray')}
        />
      </svg>
    );
  }
  return (
    <svg class="sc-gauge" aria-hidden="true">
      <rect class="sc-bar" data-part="bar" height="100%" width={slot('bar@width')} />
    </svg>
  );
}
