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

/** Loads the stylesheet and the script of clocks, unless the page has them. */
export function loadAssets(): void {
  const { stylesheet, script: source } = ASSET_PATHS;
  if (!document.querySelector(`link[href="${stylesheet}"]`)) {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = stylesheet;
    document.head.append(link);
  }
  if (document.querySelector(`script[src="${source}"]`)) return;
  // Browsers run scripts that are created, but not those that are parsed with a fragment.
  const script = document.createElement('script');
  script.src = source;
  document.head.append(script);
}
