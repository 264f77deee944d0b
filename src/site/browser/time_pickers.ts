import { make } from './dom.ts';

const TIME_FIELDS = 'input[name$="iso"], input[name="from"], input[name="to"], input[name="date"]';
const DATE = /^\d{4}-\d\d-\d\d$/;

/** Adds a picker to each time field. It writes times in the format of the field's example. */
export function addTimePickers(form: HTMLFormElement): void {
  for (const field of form.querySelectorAll<HTMLInputElement>(TIME_FIELDS)) {
    const example = field.placeholder;
    const picker = document.createElement('input');
    picker.type = DATE.test(example) ? 'date' : 'datetime-local';
    picker.className = 'picker';
    picker.ariaLabel = `Pick ${field.name}`;
    // The specifiers of a difference: `iso=2026-04-15T12:00`.
    const prefix = /^(?:now$|\w+=)/.test(example) ? 'iso=' : '';
    picker.addEventListener('change', () => {
      field.value = picker.value === '' ? '' : prefix + picker.value;
      field.dispatchEvent(new Event('input', { bubbles: true }));
    });
    const group = make('span', 'picked');
    field.replaceWith(group);
    group.append(field, picker);
  }
}
