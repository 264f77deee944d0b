import { exchange } from './api.ts';
import { hasAccess } from './key.ts';

const LIST = 'zone-names';

/** Adds suggestions to the zone fields of a form; the names are requested when such a field is first used. */
export function suggestZones(form: HTMLFormElement): void {
  for (const field of form.querySelectorAll<HTMLInputElement>('input[name$="tz"]:not([type="checkbox"])')) {
    field.setAttribute('list', LIST);
    field.addEventListener('focus', () => void makeList().catch(() => undefined));
  }
}

async function makeList(): Promise<void> {
  if (document.getElementById(LIST) || !hasAccess()) return;
  const list = document.createElement('datalist');
  list.id = LIST;
  document.body.append(list);
  try {
    const { status, body } = await exchange('/v1/timezones');
    const zones: { name: string }[] = status === 200 ? JSON.parse(body) : [];
    list.append(...zones.map(({ name }) => new Option(name)));
  } finally {
    if (list.options.length === 0) list.remove(); // so that the next use tries again
  }
}
