import { credentials, hasAccess } from './key.ts';

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
  const response = await fetch('/v1/timezones', { headers: credentials() });
  if (!response.ok) return list.remove();
  for (const { name } of (await response.json()) as { name: string }[]) list.append(new Option(name));
}
