import { ask } from './api.ts';
import { one } from './dom.ts';
import { showExchange, showFailure } from './exchange_view.ts';
import { mayAsk } from './key.ts';
import { fillForm, queryOfForm } from './query_form.ts';
import { takeTurn } from './take_turn.ts';
import { suggestZones } from './zone_names.ts';

/**
 * Lets every route be tried from its form. What is asked stands behind the `#` of the page's address, so that it can be
 * linked to: `/#/v1/time/current?tz=Europe/Paris`.
 */
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

/** Brings the panel of a route into sight and takes the others out of it. */
function choose(root: HTMLElement, path: string): HTMLElement | undefined {
  const chosen = panelsOf(root).find(({ id }) => id === path);
  if (chosen === undefined) return undefined;
  for (const panel of panelsOf(root)) panel.hidden = panel !== chosen;
  for (const link of linksOf(root)) {
    if (link.hash === `#${path}`) {
      link.setAttribute('aria-current', 'true');
      slideIntoSight(link);
    } else link.removeAttribute('aria-current');
  }
  return chosen;
}

/** Moves the list of routes, which is a strip on a small screen, so that one stands in its middle; the page stays. */
function slideIntoSight(link: HTMLElement): void {
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
  if (!mayAsk()) {
    showFailure(place, request, 'yet: this server wants an API key, which goes into the field at the top.');
    document.querySelector<HTMLInputElement>('#key input')?.focus();
    place.ariaBusy = null;
    return;
  }
  place.ariaBusy = 'true';
  try {
    const exchange = await ask(request);
    if (!isLatest()) return;
    showExchange(place, exchange);
  } catch {
    if (!isLatest()) return;
    showFailure(place, request, 'The server cannot be reached.');
  }
  place.ariaBusy = null;
}
