import { parseToml } from '../common/settings_text.ts';
import { definedPlans, type Plan, type PlanEntry, planEntry } from './plan.ts';

type Plans = ReadonlyMap<string, Plan>;

/** The plans defined in the text of a plans file. Throws an Error that names the position or the entry. */
export function plansIn(text: string): Plans {
  return text.trim() === '' ? new Map() : definedPlans(parseToml(text));
}

/**
 * The text of a plans file with one table `[plans.NAME]` replaced, added, or removed if null; the rest is unchanged.
 * @throws {Error} if the plan is defined in another TOML notation
 */
export function withPlan(text: string, name: string, entry: PlanEntry | null): string {
  const plans = new Map(plansIn(text));
  const edited = replaceTable(text, name, entry);
  if (entry === null) plans.delete(name);
  else plans.set(name, definedPlans({ plans: { [name]: entry } }).get(name)!);
  if (!defines(edited, plans)) {
    throw new Error(`it defines '${name}' in another form than a table [plans.${name}]; edit it by hand`);
  }
  return edited;
}

function replaceTable(text: string, name: string, entry: PlanEntry | null): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const start = lines.findIndex(line => tableOf(line) === name);
  const body = entry === null ? [] : [`[plans.${quotedKey(name)}]`, ...Object.entries(entry).map(member)];
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

function quotedKey(name: string): string {
  return name.includes('.') ? `"${name}"` : name;
}

function member([key, value]: [string, string | number]): string {
  return `${key} = ${JSON.stringify(value)}`;
}

function defines(text: string, wanted: Plans): boolean {
  try {
    const plans = plansIn(text);
    return plans.size === wanted.size && [...wanted].every(([name, plan]) => isSame(plans.get(name), plan));
  } catch {
    return false;
  }
}

function isSame(a: Plan | undefined, b: Plan): boolean {
  return a !== undefined && JSON.stringify(planEntry(a)) === JSON.stringify(planEntry(b));
}
