import { Html } from '@elysiajs/html';
import { WEEKDAYS_SHORT } from '../../text/names.ts';
import { dotsAround } from '../figures/dots_around.ts';
import type { Gauge } from './box.ts';
import { slot } from './slots.ts';

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
  if (gauge === 'turn') return <i data-part="turn" data-turn={slot('turn@data-turn')} />;
  if (gauge === 'dots') {
    return (
      <svg class="sc-dots" viewBox="-125 -50 250 100" aria-hidden="true">
        <path class="sc-unlit" d={dotsAround(0, 60)} />
        <path data-part="dots" d={slot('dots@d')} />
        <path data-part="dots-tail" d={slot('dots-tail@d')} />
      </svg>
    );
  }
  return (
    <svg class="sc-gauge" aria-hidden="true">
      <rect class="sc-bar" data-part="bar" height="100%" width={slot('bar@width')} />
    </svg>
  );
}
