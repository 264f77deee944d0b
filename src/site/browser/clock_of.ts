import { ASSET_PATHS } from '../../clock/server_paths.ts';

/** The clock of a fragment. Its stylesheet and script are those of the page, which has them from now on. */
export function clockOf(html: string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = html;
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
  // A script that is parsed with a fragment does not run; one that is made does.
  const script = document.createElement('script');
  script.src = ASSET_PATHS.script;
  document.head.append(link, script);
}
