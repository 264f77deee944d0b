import { one } from './dom.ts';

const NAME = 'meridian-key';

/** Stores the content of the key field until the tab is closed. */
export function storeKey(form: HTMLElement): void {
  const field = one<HTMLInputElement>(form, 'input');
  field.value = sessionStorage.getItem(NAME) ?? '';
  const store = () => {
    sessionStorage.setItem(NAME, field.value.trim());
    document.dispatchEvent(new Event('meridian:key'));
  };
  field.addEventListener('change', store);
  form.addEventListener('submit', event => {
    event.preventDefault();
    store();
  });
}

/** Whether requests can be authenticated: this server requires no key, or there is one. */
export function hasAccess(): boolean {
  return document.querySelector('#key') === null || key() !== '';
}

/** Throws a message for the visitor if this server requires a key and there is none, and moves the focus to its field. */
export function requireKey(): void {
  if (hasAccess()) return;
  document.querySelector<HTMLInputElement>('#key input')?.focus();
  throw new Error('This server requires an API key: enter it in the field at the top.');
}

/** The headers of a request: the key, if there is one. */
export function credentials(): Record<string, string> {
  return key() === '' ? {} : { Authorization: `Bearer ${key()}` };
}

function key(): string {
  return sessionStorage.getItem(NAME) ?? '';
}
