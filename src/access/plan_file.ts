import { chmodSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { oneLine } from '../common/errors.ts';
import { fileExists } from '../common/state_files.ts';
import type { Plan, PlanEntry, PlanStore } from './plan.ts';
import { plansIn, withPlan } from './plan_text.ts';

/** Readable by all users, since it has no secrets. */
const NEW_FILE_MODE = 0o644;

/** The plans of a machine's plans file, in TOML; `set` creates a missing one. Methods throw one-line Errors. */
export class PlanFile implements PlanStore {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  get exists(): boolean {
    return this.#explained('read', () => fileExists(this.#path));
  }

  plans(): ReadonlyMap<string, Plan> {
    return this.#explained('read', () => plansIn(readFileSync(this.#path, 'utf8')));
  }

  set(name: string, entry: PlanEntry): void {
    this.#explained('change', () => {
      const text = this.exists ? readFileSync(this.#path, 'utf8') : '';
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
    const exists = fileExists(this.#path);
    const target = exists ? realpathSync(this.#path) : this.#path;
    const temporary = `${target}.${process.pid}.tmp`;
    rmSync(temporary, { force: true });
    writeFileSync(temporary, text, { flag: 'wx' });
    chmodSync(temporary, exists ? statSync(target).mode : NEW_FILE_MODE);
    renameSync(temporary, target);
  }

  #explained<Value>(act: 'read' | 'change', work: () => Value): Value {
    try {
      return work();
    } catch (error) {
      throw new Error(`Cannot ${act} plans in ${this.#path}: ${oneLine(error)}`);
    }
  }
}
