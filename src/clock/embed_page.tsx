import { Html } from '@elysiajs/html';
import type { Moment } from '../common/moment.ts';
import type { AssetPaths, ClockConfig } from './clock_config.ts';
import { drawFace } from './draw_face.tsx';
import { textMarkup } from './drawing/markup.tsx';
import { styleOf } from './fragment.tsx';

/** A document with only clocks, to be shown in a frame. */
interface EmbedPage {
  readonly title: string;
  readonly language: string;
  /** The layout: one clock of a family that fills the frame, or a board of several. */
  readonly layout: 'analog' | 'digital' | 'board';
  readonly clocks: readonly string[];
  readonly assets: AssetPaths;
  /** The URL of its oEmbed metadata. */
  readonly oembedUrl: string | null;
}

export function embedPage({ title, language, layout, clocks, assets, oembedUrl }: EmbedPage): string {
  return `<!doctype html>${(
    <html lang={Html.escapeHtml(language)} class="sc-embed" data-layout={layout}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{textMarkup(title)}</title>
        <meta name="description" content={`${textMarkup(title)}, as a clock that keeps time.`} />
        {oembedUrl !== null && (
          <link rel="alternate" type="application/json+oembed" href={Html.escapeHtml(oembedUrl)} />
        )}
        <link rel="stylesheet" href={Html.escapeHtml(assets.stylesheet)} />
        <script src={Html.escapeHtml(assets.script)} async />
      </head>
      <body>
        <main>
          <h1>{textMarkup(title)}</h1>
          {clocks.join('\n')}
        </main>
      </body>
    </html>
  )}`;
}

/** Width and height of a face of the default size, in pixels. */
export function faceSize({ styleDefinition }: Pick<ClockConfig, 'styleDefinition'>) {
  return styleDefinition.family === 'analog' ? { width: 240, height: 240 } : { width: 480, height: 192 };
}

/** A static SVG image of a clock, with its stylesheet. It contains HTML, which only browsers render. */
export function stillClock(config: ClockConfig, moment: Moment, stylesheet: string): string {
  const { width, height } = faceSize(config);
  const { size = '240px', ...others } = config.options ?? {};
  const style = `--service-clock-size:240px;${styleOf(others)}`;
  const face = drawFace(config, moment, 'clock').replaceAll(
    '<svg ',
    '<svg xmlns="http://www.w3.org/2000/svg" ',
  );
  const label = textMarkup(`The time in ${config.timezone_label}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" ${sizeAttributes(size, width, height)} viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}"><style><![CDATA[${stylesheet}]]></style><foreignObject width="${width}" height="${height}"><div xmlns="http://www.w3.org/1999/xhtml" class="service-clock-host" style="${style}">${face}</div></foreignObject></svg>`;
}

/** For a length that is relative to the image's context, the height follows from the width. */
function sizeAttributes(size: string, width: number, height: number): string {
  const scale = Number.parseFloat(size) / 240;
  const unit = size.replace(/^[\d.]+/, '');
  const length = (pixels: number) => `${Math.round(pixels * scale * 1000) / 1000}${unit}`;
  const isRelative = unit === '%' || unit === 'vw';
  return `width="${length(width)}"${isRelative ? '' : ` height="${length(height)}"`}`;
}
