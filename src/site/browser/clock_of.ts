import { ASSET_PATHS } from '../../clock/clock_config.ts';

/** Parses a clock fragment. The page loads its stylesheet and script once. */
export function clockOf(html: string): DocumentFragment {
  const template = document.createElement('template');
  // The page's policy forbids the attribute; the clock script sets the same properties.
  template.innerHTML = html.replace(/ style="--service-clock-[^"]*"/, '');
  const { content } = template;
  for (const element of content.querySelectorAll('link, script[src]')) element.remove();
  loadAssets();
  return content;
}

/** Loads the clock stylesheet and script, unless the page already has them. */
export function loadAssets(): void {
  const { stylesheet, script: source } = ASSET_PATHS;
  if (!document.querySelector(`link[href="${stylesheet}"]`)) {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = stylesheet;
    document.head.append(link);
  }
  if (document.querySelector(`script[src="${source}"]`)) return;
  // Browsers run scripts created by scripts, but not those parsed in a fragment.
  const script = document.createElement('script');
  script.src = source;
  document.head.append(script);
}
