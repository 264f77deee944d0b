import { Html } from '@elysiajs/html';
import { BoundedCache } from '../common/caching.ts';
import type { Moment } from '../common/moment.ts';
import { type ClockConfig, contentKeyOf, placeOf } from './clock_config.ts';
import { rowsOfName } from './drawing/dial_label.ts';
import { drawBoxes, drawFlaps } from './drawing/draw_boxes.tsx';
import { drawDial } from './drawing/draw_dial.tsx';
import { placeParts } from './drawing/lettering.tsx';
import { fill, slot, type Template, templateOf, textMarkup } from './drawing/markup.tsx';
import { lineIn } from './figures/glyph_sets.ts';
import { type LiveFace, type LiveParts, liveFaceOf } from './live_parts.ts';
import type { Style } from './styles/style.ts';
import { STYLES } from './styles/styles.ts';

/** The face of a clock, correct without any script. Its ids begin with `idPrefix`, which must be unique in the page and is not escaped. */
export function drawFace(config: ClockConfig, moment: Moment, idPrefix: string): string {
  const { face, template } = drawnOf(config);
  const place = placeOf(config);
  const texts: LiveParts = {
    ...face.partsAt(moment),
    ...placeParts(STYLES[config.style], place),
    style: config.style,
    place,
    name: config.timezone_label,
  };
  return fill(template, name => {
    if (name === 'id') return idPrefix;
    if (name.endsWith('@flaps')) return drawFlaps(texts[name.slice(0, -'@flaps'.length)]!);
    // Attributes are computed; texts may come from clients.
    return name.includes('@') ? texts[name]! : textMarkup(texts[name]!);
  });
}

/** Whether the name is in several rows, which occurs only on dials. */
export function isLabelInRows(config: ClockConfig): boolean {
  return config.styleDefinition.family === 'analog' && rowsOfName(placeOf(config)).length > 1;
}

const drawn = new BoundedCache<string, { readonly face: LiveFace; readonly template: Template }>(256);

function drawnOf(config: ClockConfig) {
  const isInRows = isLabelInRows(config);
  return drawn.getOrInsertComputed(`${config.style} ${isInRows} ${contentKeyOf(config)}`, () => {
    const face = liveFaceOf(config, isInRows, lineIn);
    return { face, template: templateOf(markupOf(STYLES[config.style], face)) };
  });
}

function markupOf(style: Style, face: LiveFace): string {
  return String(
    <div
      class={`service-clock sc-${style.definition.family}`}
      data-style={slot('style')}
      data-form={face.form}
      role="timer"
      aria-label={`Time in ${slot('name')}`}
    >
      {'dial' in style ? drawDial(style) : drawBoxes(style, face)}
      <time class="sc-said" data-part="said" datetime={slot('said@datetime')}>
        {slot('said')}
      </time>
      <span class="sc-unsynchronised">not synchronised</span>
    </div>,
  );
}
