type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Fills a form from a query string and empties all other fields. */
export function fillForm(form: HTMLFormElement, query: string): void {
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

/** The query string of the filled fields, escaped only where necessary. */
export function queryOfForm(form: HTMLFormElement): string {
  return fieldsOf(form)
    .filter(field => (isCheckbox(field) ? field.checked : field.value !== ''))
    .map(({ name, value }) => `${name}=${escapeReadably(value)}`)
    .join('&');
}

function fieldsOf(form: HTMLFormElement): Field[] {
  return [...form.querySelectorAll<Field>(':is(input, select, textarea)[name]')];
}

function isCheckbox(field: Field): field is HTMLInputElement {
  return field.type === 'checkbox';
}

/** Leaves characters that a query may contain (RFC 3986 §3.4) unescaped, except for the apostrophe, which would end a shell string. */
function escapeReadably(value: string): string {
  return encodeURIComponent(value.toWellFormed())
    .replace(/%(2C|2F|3A|40|5B|5D)/g, escaped => decodeURIComponent(escaped))
    .replaceAll('%20', '+')
    .replaceAll("'", '%27');
}
