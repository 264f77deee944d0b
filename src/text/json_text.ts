import type { Target } from '../operations/target.ts';
import { momentAt, timePayload } from '../operations/time_payload.ts';
import type { Strftime } from './strftime.ts';
import { canBePrinted, TimeForm } from './time_form.ts';

/** The forms of a target, by the offset in seconds that its clocks are at: a zone has a few, all others one. */
type Forms = Map<number, TimeForm>;

// They live as long as the target, of which there is one for each zone and each offset of whole minutes.
const formsOfTarget = new WeakMap<Target, Forms>();

/**
 * The time payload of an instant in a target, written as JSON; `format` adds `formatted`, and `members` what a route has
 * beside it.
 */
export function timeJson(
  epochMs: number,
  target: Target,
  format: Strftime | null,
  members?: Readonly<Record<string, unknown>>,
): string {
  let text = payloadJson(epochMs, target);
  if (format !== null) {
    text = `${open(text)},"formatted":${JSON.stringify(format.format(momentAt(epochMs, target)))}}`;
  }
  if (members === undefined) return text;
  const more = JSON.stringify(members);
  return more === '{}' ? text : `${open(text)},${more.slice(1)}`;
}

/** An object written as JSON without its closing brace. */
function open(json: string): string {
  return json.slice(0, -1);
}

function payloadJson(epochMs: number, target: Target): string {
  const epochSeconds = Math.floor(epochMs / 1000);
  const form = formOf(target, target.periodAt(epochSeconds).offsetSeconds);
  if (form?.takes(epochSeconds)) return form.fill(epochMs);
  return JSON.stringify(timePayload(momentAt(epochMs, target), target));
}

/** The form of a target at an offset; undefined where its texts cannot be printed. */
function formOf(target: Target, offsetSeconds: number): TimeForm | undefined {
  const forms = formsOfTarget.get(target);
  return forms?.get(offsetSeconds) ?? newForm(target, offsetSeconds, forms);
}

function newForm(target: Target, offsetSeconds: number, forms: Forms = new Map()): TimeForm | undefined {
  if (!canBePrinted(target)) return undefined;
  const form = new TimeForm(target, offsetSeconds);
  forms.set(offsetSeconds, form);
  formsOfTarget.set(target, forms);
  return form;
}
