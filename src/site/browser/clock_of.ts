import { ASSET_PATHS } from '../../clock/clock_config.ts';

/** Parses a clock fragment. Its stylesheet and script are loaded by the page, once. */
export function clockOf(html: string): DocumentFragment {
  const template = document.createElement('template');
  // The policy of the page forbids the attribute; the script of clocks sets the same.
  template.innerHTML = html.replace(/ style="--service-clock-[^"]*"/, '');
  const { content } = template;
  for (const element of content.querySelectorAll('link, script[src]')) element.remove();
  loadAssets();
  return content;
}

function loadAssets(): void {
  if (document.querySelector(`script[src="${ASSET_PATHS.script}"]`)) return;
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = ASSET_PATHS.stylesheet;
  // Browsers run scripts that are created, but not those that are parsed with a fragment.
  const script = document.createElement('script');
  script.src = ASSET_PATHS.script;
  document.head.append(link, script);
}
