import { clockOf } from './clock_of.ts';
import { clockQuery, fetchClock, type SnippetForm, sizeOf, snippetOf } from './clock_snippets.ts';
import { confirmCopy, one, takeTurn, write } from './dom.ts';
import { suggestZones } from './zone_names.ts';

/** The pause in typing after which the clock is redrawn. */
const PAUSE_MS = 250;

/** Runs the clock builder. The returned function opens it for a style in a zone. */
export function runBuilder(dialog: HTMLDialogElement): (style: string, zone: string) => void {
  const form = one<HTMLFormElement>(dialog, '[data-builder-form]');
  const code = one(dialog, '[data-builder-code]');
  let timer: ReturnType<typeof setTimeout> | undefined;
  suggestZones(form);
  const update = () => void showClock(dialog, form, code);
  const updateSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(update, PAUSE_MS);
  };
  form.addEventListener('input', () => {
    enableFields(dialog, form);
    updateSoon();
  });
  form.addEventListener('submit', event => event.preventDefault());
  one(dialog, '[data-builder-forms]').addEventListener('change', update);
  one(dialog, '[data-builder-close]').addEventListener('click', () => dialog.close());
  const button = one(dialog, '[data-builder-copy]');
  button.addEventListener('click', () => void copy(code, button));
  return (style, zone) => {
    one<HTMLSelectElement>(form, '[name=style]').value = style;
    one<HTMLInputElement>(form, '[name=tz]').value = zone;
    enableFields(dialog, form);
    dialog.showModal();
    update();
  };
}

/** Disables mutually exclusive fields; a form omits disabled fields. */
function enableFields(dialog: HTMLElement, form: HTMLFormElement): void {
  for (const box of form.querySelectorAll<HTMLInputElement>('[data-enables]'))
    one<HTMLInputElement>(form, `[name=${box.dataset['enables']}]`).disabled = !box.checked;
  const isChecked = (name: string) => one<HTMLInputElement>(form, `[name=${name}]`).checked;
  const isDigital = one<HTMLSelectElement>(form, '[name=style]').value.startsWith('digital-');
  one<HTMLInputElement>(form, '[name=tz]').disabled = isChecked('visitor');
  one<HTMLInputElement>(form, '[name=countdown_to]').disabled = !isDigital;
  one<HTMLInputElement>(form, '[name=format]').disabled = !isDigital || isChecked('hour12');
  one(dialog, '[data-builder-digital]').hidden = !isDigital;
  // An image cannot be in the visitor's zone, since the server renders it.
  for (const radio of dialog.querySelectorAll<HTMLInputElement>('[value=image]')) {
    radio.disabled = isChecked('visitor');
    if (radio.disabled && radio.checked) one<HTMLInputElement>(dialog, '[name=form]').checked = true;
  }
}

/** Shows the form's clock on light and dark backgrounds, and its code. */
async function showClock(dialog: HTMLElement, form: HTMLFormElement, code: HTMLElement): Promise<void> {
  const isLatest = takeTurn(dialog);
  const entries = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()] as const);
  const query = clockQuery(entries.filter(([, value]) => value !== ''));
  try {
    const previews = [...dialog.querySelectorAll<HTMLElement>('[data-builder-preview]')];
    const fragments = await Promise.all(previews.map(() => fetchClock(query)));
    if (!isLatest()) return;
    for (const [index, preview] of previews.entries()) preview.replaceChildren(clockOf(fragments[index]!));
    const copyAs = one<HTMLInputElement>(dialog, '[name=form]:checked').value as SnippetForm;
    code.textContent = snippetOf(copyAs, query, fragments[0]!, sizeOf(one(previews[0]!, '.service-clock')));
    write(dialog, '[data-builder-status]', '');
  } catch (error) {
    if (!isLatest()) return;
    code.textContent = '';
    write(dialog, '[data-builder-status]', (error as Error).message);
  }
}

/** Copies the code, or selects it if there is no clipboard. */
async function copy(code: HTMLElement, button: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(code.textContent);
    confirmCopy(button);
  } catch {
    getSelection()?.selectAllChildren(code);
  }
}
