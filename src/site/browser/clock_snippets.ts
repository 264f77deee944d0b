import { ASSET_PATHS, CLOCK_PATH } from '../../clock/clock_config.ts';
import { exchange } from './api.ts';

/** The forms in which a clock can be copied. */
export type SnippetForm = 'lines' | 'fragment' | 'frame' | 'image';

/** The parameters of a clock as a query string, with readable colons and slashes. */
export function clockQuery(parameters: Iterable<readonly [name: string, value: string]>): string {
  return [...parameters]
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replace(/%2F|%3A/g, decodeURIComponent)}`)
    .join('&');
}

/** Requests a clock as a fragment. Rejects with a message for the visitor. */
export async function fetchClock(query: string): Promise<string> {
  const { status, body } = await exchange(`${CLOCK_PATH}?${query}`);
  if (status !== 200) throw new Error(JSON.parse(body).error.message);
  return body;
}

/** The code of a clock for a page on another host. `fragment`: the clock as rendered by this server; `size`: the size of its face. */
export function snippetOf(form: SnippetForm, query: string, fragment: string, size: Size): string {
  const base =
    document.querySelector<HTMLElement>('[data-public-url]')?.dataset['publicUrl'] || location.origin;
  if (form === 'fragment') return fragment.replaceAll('"/v1/time/', `"${base}/v1/time/`);
  const label = /aria-label="([^"]*)"/.exec(fragment)![1]!;
  const html = query.replaceAll('&', '&amp;');
  const frame = `${base}/embed/clock?${html}`;
  const box = `width="${size.width}" height="${size.height}"`;
  if (form === 'frame')
    return `<iframe src="${frame}" ${box} title="${label}" loading="lazy" style="border:0;color-scheme:light"></iframe>\n`;
  if (form === 'image') return `<img src="${base}${CLOCK_PATH}.svg?${html}" alt="${label}">\n`;
  const link = `<a href="${frame}">${label}</a>`;
  return `<div data-service-clock-src="${base}${CLOCK_PATH}?${html}">${link}</div>\n<script async src="${base}${ASSET_PATHS.script}"></script>\n`;
}

/** In pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size of a clock on the page. */
export function sizeOf(clock: Element): Size {
  const { width, height } = clock.getBoundingClientRect();
  return { width: Math.ceil(width), height: Math.ceil(height) };
}
