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
import type { AnalogStyle, DigitalStyle, Style } from './style.ts';

/** The registry of styles, in the order in which they are listed; `analog-slate` and `digital-slate` are two. */
const REGISTRY = {
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
} satisfies Record<`analog-${string}`, AnalogStyle> & Record<`digital-${string}`, DigitalStyle>;

export type StyleName = keyof typeof REGISTRY;

export const STYLES: Readonly<Record<StyleName, Style>> = REGISTRY;

export const STYLE_NAMES = Object.keys(REGISTRY) as readonly StyleName[];
