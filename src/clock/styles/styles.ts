import { DIALS } from './dials.ts';
import { DISPLAYS } from './displays.ts';
import type { Style } from './style.ts';

export type StyleName = keyof typeof DIALS | keyof typeof DISPLAYS;

/** The registry of styles, in listing order; `analog-slate` and `digital-slate` are two different ones. */
export const STYLES: Readonly<Record<StyleName, Style>> = { ...DIALS, ...DISPLAYS };

export const STYLE_NAMES = Object.keys(STYLES) as readonly StyleName[];
