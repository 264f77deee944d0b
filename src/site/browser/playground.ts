import { exchange } from './api.ts';
import { make, one, takeTurn, whenNear } from './dom.ts';
import { copyButton, curlOf, exchangeView, failureView } from './exchange_view.ts';
import { hasAccess } from './key.ts';
import { fillForm, queryOfForm } from './query_form.ts';
import { addTimePickers } from './time_pickers.ts';
import { suggestZones } from './zone_names.ts';

/** Runs the route forms. The URL fragment is the request: `/#/v1/time/current?tz=Europe/Paris`. */
export function runPlayground(root: HTMLElement): void {
  const panels = [...root.querySelectorAll<HTMLElement>('.panel')];
  const links = [...root.querySelectorAll<HTMLAnchorElement>('.playground-routes a')];
  for (const link of links) {
    link.addEventListener('click', event => {
      event.preventDefault();
      const panel = choose(panels, links, link.hash.slice(1));
      remember(link.hash);
      if (panel) showExample(panel);
    });
  }
  const showFirst = () => {
    const panel = choose(panels, links, panels[0]!.id);
    if (panel) showExample(panel);
  };
  const followAddress = () => {
    const request = location.hash.slice(1);
    if (request === '') showFirst();
    if (!request.startsWith('/')) return;
    const panel = choose(panels, links, request.split('?', 1)[0]!);
    root.scrollIntoView();
    if (panel === undefined) return;
    if (request.includes('?')) void fillAndSend(panel, request);
    else showExample(panel);
  };
  addEventListener('hashchange', followAddress);
  if (location.hash.startsWith('#/')) followAddress();
  // The first form, below the fold, is built when the visitor scrolls near it, unless another is selected before.
  else whenNear([root], () => panels.some(isRunning) || showFirst());
}

function isRunning({ dataset }: HTMLElement): boolean {
  return dataset['runs'] !== undefined;
}

/** Builds and runs a route's form and examples when it is first shown: building all of them at once would block a phone. */
function runPanel(panel: HTMLElement): void {
  if (isRunning(panel)) return;
  panel.dataset['runs'] = '';
  const markup = panel.querySelector('noscript');
  if (markup) markup.outerHTML = markup.textContent;
  const form = one<HTMLFormElement>(panel, 'form');
  addTimePickers(form);
  suggestZones(form);
  previewRequest(panel, form);
  form.addEventListener('submit', event => {
    event.preventDefault();
    void send(panel, requestOf(panel, form));
  });
  for (const example of panel.querySelectorAll('[data-example]')) {
    example.addEventListener('click', event => {
      event.preventDefault();
      void fillAndSend(panel, example.getAttribute('href')!);
    });
  }
}

function requestOf(panel: HTMLElement, form: HTMLFormElement): string {
  const query = queryOfForm(form);
  return query === '' ? panel.id : `${panel.id}?${query}`;
}

/** Shows the request that the form will send, with a button to copy it as a command. */
function previewRequest(panel: HTMLElement, form: HTMLFormElement): void {
  const code = make('code', '');
  const preview = make('p', 'request preview-request', code);
  // The clipboard exists only in secure contexts: TLS or loopback.
  if (isSecureContext) preview.append(copyButton(() => requestOf(panel, form)));
  form.append(preview);
  const show = () => {
    code.textContent = curlOf(requestOf(panel, form));
  };
  form.addEventListener('input', show);
  form.addEventListener('meridian:filled', show);
  show();
}

/** Shows the current response to a route's first example, unless there is one already. */
function showExample(panel: HTMLElement): void {
  const example = panel.querySelector('[data-example]')?.getAttribute('href');
  if (!example || !hasAccess() || panel.dataset['used'] !== undefined) return;
  void request(panel, example);
}

/** Shows the panel of a route and hides the others. */
function choose(panels: HTMLElement[], links: HTMLAnchorElement[], path: string): HTMLElement | undefined {
  const chosen = panels.find(({ id }) => id === path);
  if (chosen === undefined) return undefined;
  runPanel(chosen);
  for (const panel of panels) panel.hidden = panel !== chosen;
  for (const link of links) {
    link.ariaCurrent = link.hash === `#${path}` ? 'true' : null;
    if (link.ariaCurrent) centreInStrip(link);
  }
  return chosen;
}

/** Centres a link in the list of routes, which is a strip on small screens, without scrolling the page. */
function centreInStrip(link: HTMLElement): void {
  const strip = link.parentElement!;
  const middleOf = ({ left, width }: DOMRect) => left + width / 2;
  strip.scrollLeft += middleOf(link.getBoundingClientRect()) - middleOf(strip.getBoundingClientRect());
}

async function fillAndSend(panel: HTMLElement, request: string): Promise<void> {
  const form = one<HTMLFormElement>(panel, 'form');
  fillForm(form, request.split('?')[1] ?? '');
  form.dispatchEvent(new Event('meridian:filled'));
  await send(panel, request);
}

async function send(panel: HTMLElement, sent: string): Promise<void> {
  remember(`#${sent}`);
  await request(panel, sent);
}

/** Pushes a fragment to the history, so that the back button returns to the previous one. */
function remember(hash: string): void {
  if (location.hash !== hash) history.pushState(null, '', hash);
}

/** Requests and shows the response, if it is the latest one. */
async function request(panel: HTMLElement, sent: string): Promise<void> {
  panel.dataset['used'] = '';
  const place = one(panel, '.exchange');
  const isLatest = takeTurn(place);
  place.ariaBusy = 'true';
  const view = await exchange(sent).then(
    response => exchangeView(response, fixed => void fillAndSend(panel, fixed)),
    ({ message }) => failureView(sent, message),
  );
  if (!isLatest()) return;
  place.replaceChildren(...view);
  place.ariaBusy = null;
}
