import { arctic } from './dials/arctic.ts';
import { aviation } from './dials/aviation.ts';
import { bauhaus } from './dials/bauhaus.ts';
import { brass } from './dials/brass.ts';
import { executive } from './dials/executive.ts';
import { graphite } from './dials/graphite.ts';
import { grid } from './dials/grid.ts';
import { marine } from './dials/marine.ts';
import { slate } from './dials/slate.ts';
import { station } from './dials/station.ts';
import * as displays from './displays.ts';
import type { AnalogStyle, DigitalStyle, Style } from './style.ts';

/** The registry of styles, in listing order; `analog-slate` and `digital-slate` are two different ones. */
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
  'digital-segment-red': displays.segmentRed,
  'digital-segment-amber': displays.segmentAmber,
  'digital-segment-ice': displays.segmentIce,
  'digital-terminal-green': displays.terminalGreen,
  'digital-terminal-white': displays.terminalWhite,
  'digital-broadcast': displays.broadcast,
  'digital-dashboard': displays.dashboard,
  'digital-control-room': displays.controlRoom,
  'digital-slate': displays.slate,
  'digital-onyx': displays.onyx,
  'digital-frost': displays.frost,
  'digital-card': displays.card,
  'digital-glass': displays.glass,
  'digital-matrix': displays.matrix,
  'digital-timetable': displays.timetable,
  'digital-split-flap': displays.splitFlap,
  'digital-cyan': displays.cyan,
  'digital-emerald': displays.emerald,
  'digital-monolith': displays.monolith,
  'digital-minimal': displays.minimal,
} satisfies Record<`analog-${string}`, AnalogStyle> & Record<`digital-${string}`, DigitalStyle>;

export type StyleName = keyof typeof REGISTRY;

export const STYLES: Readonly<Record<StyleName, Style>> = REGISTRY;

export const STYLE_NAMES = Object.keys(REGISTRY) as readonly StyleName[];
