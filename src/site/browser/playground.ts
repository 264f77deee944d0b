import { copyButtons, curlOf, exchangeView, failureView } from './exchange_view.ts';
import { exchange, fill, hasAccess, make, one, readableQuery, takeTurn, whenNear } from './page.ts';
import { suggestZones } from './place_search.ts';

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
    choose(panels, links, panels[0]!.id);
    showExample(panels[0]!);
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

const isRunning = ({ dataset }: HTMLElement) => dataset['runs'] !== undefined;

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
  const copies = copyButtons(() => requestOf(panel, form));
  form.append(make('p', 'request preview-request', code, ...copies));
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

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Fills a form from a query string and empties all other fields. */
function fillForm(form: HTMLFormElement, query: string): void {
  const values = new URLSearchParams(query);
  for (const field of fieldsOf(form)) {
    const value = values.get(field.name);
    if (isCheckbox(field)) field.checked = value === 'true';
    else field.value = value ?? '';
    // A filled field must not be collapsed.
    const fold = field.closest('details');
    if (fold && value !== null) fold.open = true;
  }
}

function queryOfForm(form: HTMLFormElement): string {
  const filled = fieldsOf(form).filter(field => (isCheckbox(field) ? field.checked : field.value !== ''));
  return readableQuery(filled.map(({ name, value }) => [name, value]));
}

function fieldsOf(form: HTMLFormElement): Field[] {
  return [...form.querySelectorAll<Field>(':is(input, select, textarea)[name]')];
}

function isCheckbox(field: Field): field is HTMLInputElement {
  return field.type === 'checkbox';
}

const TIME_FIELDS = 'input[name$="iso"], input[name="from"], input[name="to"], input[name="date"]';
const DATE = /^\d{4}-\d\d-\d\d$/;

/** Adds a picker to each time field. It writes times in the format of the field's example. */
function addTimePickers(form: HTMLFormElement): void {
  for (const field of form.querySelectorAll<HTMLInputElement>(TIME_FIELDS)) {
    const example = field.placeholder;
    const picker = document.createElement('input');
    picker.type = DATE.test(example) ? 'date' : 'datetime-local';
    picker.className = 'picker';
    picker.ariaLabel = `Pick ${field.name}`;
    // The specifiers of a difference: `iso=2026-04-15T12:00`.
    const prefix = /^(?:now$|\w+=)/.test(example) ? 'iso=' : '';
    picker.addEventListener('change', () => fill(field, picker.value === '' ? '' : prefix + picker.value));
    const group = make('span', 'picked');
    field.replaceWith(group);
    group.append(field, picker);
  }
}
