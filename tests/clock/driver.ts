import type { Palette } from '../../src/clock/palette.ts';

/** A time of day as read off a face; -1 for parts that the face does not show. */
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
  /** The cap height of the place name, unless it is hidden or in a font. */
  readonly capitals: number;
}

/** What a test can do with the faces of a page, as the page's global `driver`. */
export interface Driver {
  /** Sets `--service-clock-size`, in pixels. */
  resize(pixels: number): void;
  /** Opens all faces. */
  open(): void;
  /** Shows a moment on all open faces. */
  show(epochMs: number, offsetSeconds: number, abbreviation: string): void;
  /** The time each face shows, by style, read off its hands or glyphs. */
  read(): Record<string, ReadTime>;
  /** The boxes of all text on each face, by style. */
  boxes(): Record<string, FaceBoxes>;
  /** Whether the script builds a fragment's host exactly as the browser's HTML parser does. */
  buildsLikeHtml(fragment: string): boolean;
  /** The contrast ratio between the ink and the background of a picture. */
  contrastOf(pngInBase64: string): Promise<number>;
  /** Sets colours, and returns the minimum contrast of each line and hand with its background, by style. */
  paintContrasts(palette: Palette): Record<string, Record<string, number>>;
  /** The layout shifts since faces were opened, once all changes have been painted. */
  shifts(): Promise<number[]>;
}
