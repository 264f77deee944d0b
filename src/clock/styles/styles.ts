import type { StyleName } from '../style_names.ts';
import { dotMatrix, plain, segmentRed } from './digital.ts';
import { station } from './station.ts';
import type { Style } from './style.ts';

/** The styles by their names. */
export const STYLES: Readonly<Record<StyleName, Style>> = {
  'analog-station': station,
  'analog-aviation': station,
  'analog-bauhaus': station,
  'analog-graphite': station,
  'analog-arctic': station,
  'analog-brass': station,
  'analog-marine': station,
  'analog-grid': station,
  'analog-slate': station,
  'analog-executive': station,
  'digital-segment-red': segmentRed,
  'digital-segment-amber': segmentRed,
  'digital-segment-ice': segmentRed,
  'digital-terminal-green': plain,
  'digital-terminal-white': plain,
  'digital-broadcast': plain,
  'digital-dashboard': plain,
  'digital-control-room': plain,
  'digital-slate': plain,
  'digital-onyx': plain,
  'digital-frost': plain,
  'digital-card': plain,
  'digital-glass': plain,
  'digital-matrix': dotMatrix,
  'digital-timetable': plain,
  'digital-split-flap': plain,
  'digital-cyan': plain,
  'digital-emerald': plain,
  'digital-monolith': plain,
  'digital-minimal': plain,
};
