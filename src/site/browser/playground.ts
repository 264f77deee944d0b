import { exchange } from './api.ts';
import { one, takeTurn } from './dom.ts';
import { exchangeView, failureView } from './exchange_view.ts';
import { fillForm, queryOfForm } from './query_form.ts';
import { suggestZones } from './zone_names.ts';

/** Runs the forms of the routes. The fragment of the page's URL is the request: `/#/v1/time/current?tz=Europe/Paris`. */
export function runPlayground(root: HTMLElement): void {
  const panels = [...root.querySelectorAll<HTMLElement>('.panel')];
  const links = [...root.querySelectorAll<HTMLAnchorElement>('.playground-routes a')];
  for (const panel of panels) {
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
  for (const link of links) {
    link.addEventListener('click', event => {
      event.preventDefault();
      choose(panels, links, link.hash.slice(1));
      history.replaceState(null, '', link.hash);
    });
  }
  const followAddress = () => {
    const request = location.hash.slice(1);
    if (!request.startsWith('/')) return;
    const panel = choose(panels, links, request.split('?', 1)[0]!);
    root.scrollIntoView();
    if (panel && request.includes('?')) void fillAndSend(panel, request);
  };
  addEventListener('hashchange', followAddress);
  followAddress();
}

/** Shows the panel of a route and hides the others. */
function choose(panels: HTMLElement[], links: HTMLAnchorElement[], path: string): HTMLElement | undefined {
  const chosen = panels.find(({ id }) => id === path);
  if (chosen === undefined) return undefined;
  for (const panel of panels) panel.hidden = panel !== chosen;
  for (const link of links) {
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
