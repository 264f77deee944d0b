import { Html } from '@elysiajs/html';
import type { Moment } from '../common/moment.ts';
import { strftimeOf } from '../text/strftime_of.ts';
import type { ClockConfig } from './clock_config.ts';

export function drawFace(config: ClockConfig, moment: Moment, idPrefix: string): string {
  const text = strftimeOf(config.format ?? '%H:%M:%S', 'format').format(moment);
  return String(
    <div class="service-clock-face" id={`${idPrefix}-face`}>
      <time safe>{text}</time>
      <small safe>{config.timezone_label}</small>
    </div>,
  );
}
