import { Html } from '@elysiajs/html';
import { BoundedCache } from '../common/bounded_cache.ts';
import type { Moment } from '../common/moment.ts';
import { type ClockConfig, isNamedByOffset, placeOf } from './clock_config.ts';
import { drawBoxes, drawFlaps } from './drawing/draw_boxes.tsx';
import { drawDial } from './drawing/draw_dial.tsx';
import { fill, slot, type Template, templateOf } from './drawing/slots.ts';
import { type LiveFace, type LiveParts, liveFaceOf } from './live_parts.ts';
import type { Style } from './styles/style.ts';
import { STYLES } from './styles/styles.ts';

/**
 * The face of a clock at a moment, as markup that is right without any script. `idPrefix`, which must be unique in the
 * page, begins the ids in it.
 */
export function drawFace(config: ClockConfig, moment: Moment, idPrefix: string): string {
  const { face, template } = drawnOf(config);
  const place = placeOf(config);
  const texts: LiveParts = {
    ...face.partsAt(moment),
    id: idPrefix,
    style: config.style,
    place,
    long: lengthOf(place),
    name: config.timezone_label,
  };
  return fill(template, name => {
    const text = texts[name];
    if (text !== undefined) return Html.escapeHtml(text);
    return name.startsWith('fit ') ? fittedSize(name, place) : drawFlaps(texts[name.slice('flaps '.length)]!);
  });
}

interface Drawn {
  readonly face: LiveFace;
  readonly template: Template;
}

const drawn = new BoundedCache<string, Drawn>(256);

function drawnOf(config: ClockConfig): Drawn {
  const isOffset = isNamedByOffset(config);
  const key = `${config.style} ${isOffset} ${config.format ?? ''}`;
  return drawn.getOrInsertComputed(key, () => {
    const style = STYLES[config.style];
    const face = liveFaceOf(style.definition, config.format, isOffset);
    return { face, template: templateFor(config, style, face) };
  });
}

/** At most three per style: its own lines, a format in figures, a format in text. */
const templates = new BoundedCache<string, Template>(128);

function templateFor({ style: name, format }: ClockConfig, style: Style, face: LiveFace): Template {
  const key = `${name} ${format === null ? '' : (face.figures ?? 'text')}`;
  return templates.getOrInsertComputed(key, () => templateOf(markupOf(style, face, format !== null)));
}

function markupOf(style: Style, face: LiveFace, isFormatted: boolean): string {
  return String(
    <div
      class={`service-clock sc-${style.definition.family}`}
      data-style={slot('style')}
      {...(isFormatted ? { 'data-formatted': '' } : {})}
      role="timer"
      aria-label={`Time in ${slot('name')}`}
    >
      {'dial' in style ? drawDial(style.dial) : drawBoxes(style.boxes, face, style.definition.renderer)}
      <time class="sc-said" data-part="said" datetime={slot('said@datetime')}>
        {slot('said')}
      </time>
      <span class="sc-unsynchronised">not synchronised</span>
    </div>,
  );
}

/** The length of a name for the stylesheet, which makes longer ones narrower. */
function lengthOf(place: string): '' | 'long' | 'longer' | 'longest' {
  if (place.length <= 'Caracas'.length) return '';
  if (place.length <= 'Casablanca'.length) return 'long';
  return place.length <= 'Port of Spain'.length ? 'longer' : 'longest';
}

/** The width of a letter as a share of the font size, rather too large. */
const LETTER = 0.62;

/** The font size of a place's name, from its slot `fit SIZE ROOM SPACING`, all in units of the dial. */
function fittedSize(name: string, place: string): string {
  const [, size, room, spacing] = name.split(' ').map(Number) as [number, number, number, number];
  const wanted = place.length * (size * LETTER + spacing);
  return String(Math.round(Math.min(size, (size * room) / wanted) * 10) / 10);
}
