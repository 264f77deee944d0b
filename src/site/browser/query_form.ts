type Field = HTMLInputElement | HTMLSelectElement;

/** Fills a form from a query string; fields that it does not name are emptied. */
export function fillForm(form: HTMLFormElement, query: string): void {
  const values = new URLSearchParams(query);
  for (const field of fieldsOf(form)) {
    const value = values.get(field.name);
    if (isBox(field)) field.checked = value === 'true';
    else field.value = value ?? '';
    // What is filled in is never behind a fold.
    const fold = field.closest('details');
    if (fold && value !== null) fold.open = true;
  }
}

/** The query string of what is filled in: readable, with escapes where they must be. */
export function queryOfForm(form: HTMLFormElement): string {
  return fieldsOf(form)
    .filter(field => (isBox(field) ? field.checked : field.value !== ''))
    .map(({ name, value }) => `${name}=${escapeReadably(value)}`)
    .join('&');
}

function fieldsOf(form: HTMLFormElement): Field[] {
  return [...form.querySelectorAll<Field>('input, select')];
}

function isBox(field: Field): field is HTMLInputElement {
  return field.type === 'checkbox';
}

/** What a query may hold as it is (RFC 3986 §3.4) stays as it is. The apostrophe is escaped for the shell's sake. */
function escapeReadably(value: string): string {
  return encodeURIComponent(value.toWellFormed())
    .replace(/%(2C|2F|3A|40|5B|5D)/g, escaped => decodeURIComponent(escaped))
    .replaceAll('%20', '+')
    .replaceAll("'", '%27');
}
