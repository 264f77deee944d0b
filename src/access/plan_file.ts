import { readFileSync, realpathSync, statSync } from 'node:fs';
import { readToml } from '../common/settings_text.ts';
import { fileExists, replaceFileSync } from '../common/state_files.ts';
import { readingFile } from '../common/text_faults.ts';
import type { PlanStore } from './key_store.ts';
import { definedPlans, type Plan, type PlanEntry, planOf } from './plan.ts';

type Plans = ReadonlyMap<string, Plan>;

/** The plans defined in the text of a plans file. Throws a `TextFault`, or an `AggregateError` of all. */
export function plansIn(text: string): Plans {
  return text.trim() === '' ? new Map() : readToml(text, definedPlans);
}

/**
 * The text of a plans file with one table `[plans.NAME]` replaced, added, or removed if null; the rest is unchanged.
 * @throws {Error} if the plan is defined in another TOML notation
 */
export function withPlan(text: string, name: string, entry: PlanEntry | null): string {
  const plans = new Map(plansIn(text));
  const edited = replaceTable(text, name, entry);
  if (entry === null) plans.delete(name);
  else plans.set(name, planOf(name, entry));
  if (defines(edited, plans)) return edited;
  throw new Error(`it defines '${name}' in another form than a table [plans.${name}]; edit it by hand`);
}

function defines(text: string, plans: Plans): boolean {
  try {
    return Bun.deepEquals(plansIn(text), plans);
  } catch {
    return false;
  }
}

function replaceTable(text: string, name: string, entry: PlanEntry | null): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const start = lines.findIndex(line => tableOf(line) === name);
  const members = Object.entries(entry ?? {}).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  const head = `[plans.${name.includes('.') ? `"${name}"` : name}]`;
  const body = entry === null ? [] : [head, ...members];
  if (start === -1) return `${[...lines, ...(lines.length > 0 ? [''] : []), ...body].join('\n')}\n`;
  const next = lines.findIndex((line, index) => index > start && line.trimStart().startsWith('['));
  let end = next === -1 ? lines.length : next;
  // Comments above the next table belong to it.
  while (next !== -1 && end > start + 1 && /^\s*(#.*)?$/.test(lines[end - 1]!)) end--;
  return `${lines.toSpliced(start, end - start, ...body).join('\n')}\n`;
}

/** The plan whose table begins in a line. */
function tableOf(line: string): string | undefined {
  const { bare, quoted } =
    /^\s*\[\s*plans\s*\.\s*(?:(?<bare>[\w-]+)|"(?<quoted>[^"]+)")\s*\]/.exec(line)?.groups ?? {};
  return bare ?? quoted;
}

/** Readable by all users, since it has no secrets. */
const NEW_FILE_MODE = 0o644;

/** The plans of a machine's plans file, in TOML; `set` creates a missing one. Methods throw one-line Errors. */
export class PlanFile implements PlanStore {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Throws for a file without a single byte, which is damaged: one whose last plan was removed has a line. */
  plans(): Plans {
    return this.#explained('read', () => {
      const text = readFileSync(this.#path, 'utf8');
      if (text === '') throw new Error('the file is empty');
      return plansIn(text);
    });
  }

  /** Runs a check of these plans, which may throw an `EntryFault`. */
  check(check: () => void): void {
    this.#explained('read', () => readToml(readFileSync(this.#path, 'utf8'), check));
  }

  set(name: string, entry: PlanEntry): void {
    this.#explained('change', () => {
      const text = fileExists(this.#path) ? readFileSync(this.#path, 'utf8') : '';
      this.#write(withPlan(text, name, entry));
    });
  }

  remove(name: string): boolean {
    if (!this.plans().has(name)) return false;
    this.#explained('change', () => this.#write(withPlan(readFileSync(this.#path, 'utf8'), name, null)));
    return true;
  }

  /** Replaces the file as a whole, as servers may read it at any time. */
  #write(text: string): void {
    if (fileExists(this.#path)) replaceFileSync(realpathSync(this.#path), text, statSync(this.#path).mode);
    else replaceFileSync(this.#path, text, NEW_FILE_MODE);
  }

  #explained<Value>(act: 'read' | 'change', work: () => Value): Value {
    return readingFile(this.#path, `Cannot ${act} plans in ${this.#path}`, work);
  }
}
