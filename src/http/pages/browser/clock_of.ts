const ASSETS = '/v1/time/clock/assets/v1';

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
  if (document.querySelector(`script[src="${ASSETS}/clock.js"]`)) return;
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = `${ASSETS}/clock.css`;
  // A script that is parsed with a fragment does not run; one that is made does.
  const script = document.createElement('script');
  script.src = `${ASSETS}/clock.js`;
  document.head.append(link, script);
}
