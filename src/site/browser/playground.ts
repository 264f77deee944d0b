import { exchange } from './api.ts';
import { one, takeTurn } from './dom.ts';
import { exchangeView, failureView } from './exchange_view.ts';
import { fillForm, queryOfForm } from './query_form.ts';
import { suggestZones } from './zone_names.ts';

/** Runs the forms of the routes. The fragment of the page's URL is the request: `/#/v1/time/current?tz=Europe/Paris`. */
export function runPlayground(root: HTMLElement): void {
  for (const panel of panelsOf(root)) {
    const form = one<HTMLFormElement>(panel, 'form');
    suggestZones(form);
    form.addEventListener('submit', event => {
      event.preventDefault();
      const query = queryOfForm(form);
      void send(panel, query === '' ? panel.id : `${panel.id}?${query}`);
    });
    for (const example of panel.querySelectorAll('[data-example]')) {
      example.addEventListener('click', event => {
        event.preventDefault();
        void fillAndSend(panel, example.getAttribute('href')!);
      });
    }
  }
  for (const link of linksOf(root)) {
    link.addEventListener('click', event => {
      event.preventDefault();
      choose(root, link.hash.slice(1));
      history.replaceState(null, '', link.hash);
    });
  }
  const followAddress = () => {
    const request = location.hash.slice(1);
    if (!request.startsWith('/')) return;
    const panel = choose(root, request.split('?', 1)[0]!);
    root.scrollIntoView();
    if (panel && request.includes('?')) void fillAndSend(panel, request);
  };
  addEventListener('hashchange', followAddress);
  followAddress();
}

function panelsOf(root: HTMLElement): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>('.panel')];
}

function linksOf(root: HTMLElement): HTMLAnchorElement[] {
  return [...root.querySelectorAll<HTMLAnchorElement>('.playground-routes a')];
}

/** Shows the panel of a route and hides the others. */
function choose(root: HTMLElement, path: string): HTMLElement | undefined {
  const chosen = panelsOf(root).find(({ id }) => id === path);
  if (chosen === undefined) return undefined;
  for (const panel of panelsOf(root)) panel.hidden = panel !== chosen;
  for (const link of linksOf(root)) {
    link.ariaCurrent = link.hash === `#${path}` ? 'true' : null;
    if (link.ariaCurrent) centreInStrip(link);
  }
  return chosen;
}

/** Centres a link in the list of routes, a strip on small screens, without scrolling the page. */
function centreInStrip(link: HTMLElement): void {
  const strip = link.parentElement!;
  const middleOf = ({ left, width }: DOMRect) => left + width / 2;
  strip.scrollLeft += middleOf(link.getBoundingClientRect()) - middleOf(strip.getBoundingClientRect());
}

async function fillAndSend(panel: HTMLElement, request: string): Promise<void> {
  fillForm(one(panel, 'form'), request.split('?')[1] ?? '');
  await send(panel, request);
}

async function send(panel: HTMLElement, request: string): Promise<void> {
  history.replaceState(null, '', `#${request}`);
  const place = one(panel, '.exchange');
  const isLatest = takeTurn(place);
  place.ariaBusy = 'true';
  const view = await exchange(request).then(exchangeView, ({ message }) => failureView(request, message));
  if (!isLatest()) return;
  place.replaceChildren(...view);
  place.ariaBusy = null;
}
