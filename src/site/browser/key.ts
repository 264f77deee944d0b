import { one } from './dom.ts';

const NAME = 'meridian-key';

/** Keeps what stands in the key field for as long as the tab is open. */
export function keepKey(form: HTMLElement): void {
  const field = one<HTMLInputElement>(form, 'input');
  field.value = sessionStorage.getItem(NAME) ?? '';
  const keep = () => {
    sessionStorage.setItem(NAME, field.value.trim());
    document.dispatchEvent(new Event('meridian:key'));
  };
  field.addEventListener('change', keep);
  form.addEventListener('submit', event => {
    event.preventDefault();
    keep();
  });
}

/** Whether this server may be asked: it wants no key, or there is one. */
export function mayAsk(): boolean {
  return document.querySelector('#key') === null || key() !== '';
}

/** The headers of a request: the key, where there is one. */
export function credentials(): Record<string, string> {
  return key() === '' ? {} : { Authorization: `Bearer ${key()}` };
}

function key(): string {
  return sessionStorage.getItem(NAME) ?? '';
}
