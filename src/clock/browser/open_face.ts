import { strftimeOf } from '../../text/strftime_of.ts';
import type { ClockConfig } from '../clock_config.ts';
import type { Face } from '../face.ts';

export function openFace(root: Element, config: ClockConfig): Face {
  const time = root.querySelector('time')!;
  const pattern = strftimeOf(config.format ?? '%H:%M:%S', 'format');
  return {
    beatMs: config.style.startsWith('analog-') ? 125 : 1000,
    show(moment) {
      const text = pattern.format(moment);
      if (time.textContent !== text) time.firstChild!.nodeValue = text;
    },
  };
}
