import type { StyleName } from '../style_names.ts';
import { arctic } from './arctic.ts';
import { aviation } from './aviation.ts';
import { bauhaus } from './bauhaus.ts';
import { brass } from './brass.ts';
import { dotMatrix, plain, segmentRed } from './digital.ts';
import { executive } from './executive.ts';
import { graphite } from './graphite.ts';
import { grid } from './grid.ts';
import { marine } from './marine.ts';
import { slate } from './slate.ts';
import { station } from './station.ts';
import type { Style } from './style.ts';

/** The styles by their names. */
export const STYLES: Readonly<Record<StyleName, Style>> = {
  'analog-station': station,
  'analog-aviation': aviation,
  'analog-bauhaus': bauhaus,
  'analog-graphite': graphite,
  'analog-arctic': arctic,
  'analog-brass': brass,
  'analog-marine': marine,
  'analog-grid': grid,
  'analog-slate': slate,
  'analog-executive': executive,
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
