import { credentials, mayAsk } from './key.ts';

const LIST = 'zone-names';

/** Lets the fields that take a zone suggest one; the names are asked for when such a field is first used. */
export function suggestZones(form: HTMLFormElement): void {
  for (const field of form.querySelectorAll<HTMLInputElement>('input[name$="tz"]:not([type="checkbox"])')) {
    field.setAttribute('list', LIST);
    field.addEventListener('focus', () => void makeList().catch(() => undefined));
  }
}

async function makeList(): Promise<void> {
  if (document.getElementById(LIST) || !mayAsk()) return;
  const list = document.createElement('datalist');
  list.id = LIST;
  document.body.append(list);
  const response = await fetch('/v1/timezones', { headers: credentials() });
  if (!response.ok) return list.remove();
  for (const { name } of (await response.json()) as { name: string }[]) list.append(new Option(name));
}
