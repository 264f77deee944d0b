import type { StyleName } from '../style_names.ts';
import { arctic } from './arctic.ts';
import { aviation } from './aviation.ts';
import { bauhaus } from './bauhaus.ts';
import { brass } from './brass.ts';
import * as drawn from './drawn_figures.ts';
import { executive } from './executive.ts';
import { graphite } from './graphite.ts';
import { grid } from './grid.ts';
import * as lettered from './lettered_figures.ts';
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
  'digital-segment-red': drawn.segmentRed,
  'digital-segment-amber': drawn.segmentAmber,
  'digital-segment-ice': drawn.segmentIce,
  'digital-terminal-green': lettered.terminalGreen,
  'digital-terminal-white': lettered.terminalWhite,
  'digital-broadcast': drawn.broadcast,
  'digital-dashboard': lettered.dashboard,
  'digital-control-room': drawn.controlRoom,
  'digital-slate': lettered.slate,
  'digital-onyx': drawn.onyx,
  'digital-frost': lettered.frost,
  'digital-card': lettered.card,
  'digital-glass': lettered.glass,
  'digital-matrix': drawn.matrix,
  'digital-timetable': lettered.timetable,
  'digital-split-flap': lettered.splitFlap,
  'digital-cyan': drawn.cyan,
  'digital-emerald': lettered.emerald,
  'digital-monolith': drawn.monolith,
  'digital-minimal': lettered.minimal,
};
