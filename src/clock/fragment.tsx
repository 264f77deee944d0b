import { Html } from '@elysiajs/html';
import type { Moment } from '../common/moment.ts';
import type { ClockConfig } from './clock_config.ts';
import { drawFace } from './draw_face.tsx';
import { fill, slot, templateOf } from './drawing/slots.ts';
import type { AssetPaths } from './server_paths.ts';

/**
 * A clock as a page embeds it: its face, drawn at a moment, its config, its stylesheet and its script. `id` is one that
 * no other element of the page has: ASCII letters, digits and hyphens.
 */
export function clockFragment(config: ClockConfig, moment: Moment, id: string, assets: AssetPaths): string {
  return clock(config, moment, id) + fill(ASSETS, name => Html.escapeHtml(assets[name as keyof AssetPaths]));
}

/** A clock in a page that has stylesheet and script already. */
export function clock(config: ClockConfig, moment: Moment, id: string): string {
  return fill(CLOCK, name => {
    if (name === 'id') return id;
    return name === 'face' ? drawFace(config, moment, id) : scriptJson(config);
  });
}

const CLOCK = templateOf(
  String(
    <>
      <div
        id={slot('id')}
        class="service-clock-host"
        data-service-clock=""
        data-clock-config-id={`${slot('id')}-config`}
      >
        {slot('face')}
      </div>
      <script type="application/json" id={`${slot('id')}-config`}>
        {slot('config')}
      </script>
    </>,
  ),
);

const ASSETS = templateOf(
  String(
    <>
      <link rel="stylesheet" href={slot('stylesheet')} />
      <script src={slot('script')} async />
    </>,
  ),
);

const ESCAPED = /[<>&\u2028\u2029]/g;

/** JSON that stands in a `script` element: it can neither end it nor begin a comment in it. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(
    ESCAPED,
    found => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
