import type { Palette } from '../../src/clock/clock_config.ts';

/** A time of day as a person reads it off a face; -1 for what the face does not show. */
export interface ReadTime {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** In pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The size of a face, and the boxes of its lines by name. */
export interface FaceBoxes {
  readonly width: number;
  readonly height: number;
  readonly lines: Readonly<Record<string, Box>>;
  /** The height of the capitals of the place, unless it is hidden or set in type. */
  readonly capitals: number;
}

/** What a test does with the faces of a page, as the global `driver` of that page. */
export interface Driver {
  /** Sets `--service-clock-size`, in pixels. */
  resize(pixels: number): void;
  /** Opens all faces. */
  open(): void;
  /** Shows a moment on all faces that are open. */
  show(epochMs: number, offsetSeconds: number, abbreviation: string): void;
  /** What each face shows, by its style, read off the picture. */
  read(): Record<string, ReadTime>;
  /** Where everything is that is written on each face, by its style. */
  boxes(): Record<string, FaceBoxes>;
  /** Whether the script builds the host of a fragment just as the browser's HTML parser does. */
  buildsLikeHtml(fragment: string): boolean;
  /** The contrast ratio of what a picture shows with its ground. */
  contrastOf(pngInBase64: string): Promise<number>;
  /** Sets colours, and returns the least contrast of each line and hand with its ground, by style. */
  paintContrasts(palette: Palette): Record<string, Record<string, number>>;
  /** The shifts of layout since the page began, when all that was changed has been painted. */
  shifts(): Promise<number[]>;
}
