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

/**
 * The headers of a request: the key, if there is one. If there is none and this server requires one, it moves the focus to
 * the field of the key and throws a message for the visitor.
 */
export function credentials(): Record<string, string> {
  if (!hasAccess()) {
    document.querySelector<HTMLInputElement>('#key input')?.focus();
    throw new Error('This server requires an API key: enter it in the field at the top.');
  }
  return key() === '' ? {} : { Authorization: `Bearer ${key()}` };
}

/** The key; empty on an open server, where the storage, whose first use blocks the page, is not read. */
function key(): string {
  return document.querySelector('#key') === null ? '' : (sessionStorage.getItem(NAME) ?? '');
}
