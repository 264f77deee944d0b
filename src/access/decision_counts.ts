import type { ErrorCode } from '../common/errors.ts';
import type { Report } from '../common/problem_log.ts';
import type { AccessDecision } from './authorise.ts';
import type { Account } from './limiter.ts';

/** The usage of a monthly quota at which a warning is reported, in percent. */
const NEARLY_USED_PERCENT = 80;
/** How many plans are counted separately, since metric labels must be bounded. */
const MAX_PLANS = 50;
/** The label of all further plans, which is not a valid plan name. */
const OTHER_PLANS = '(other)';

/** The decisions on requests by keys with a plan; `warnings`: how often a key has used most of its quota. */
interface PlanCounts extends Pick<DecisionCounts, 'granted' | 'rejected'> {
  warnings: number;
}

/** Counts the decisions on requests, and reports once per key and month that most of its quota is used. */
export class DecisionCounts {
  granted = 0;
  /** By error code. */
  readonly rejected = new Map<ErrorCode, number>();
  /** By plan name, for requests with a known key. */
  readonly byPlan = new Map<string, PlanCounts>();
  readonly #report: Report;
  /** The month of each account's last report. */
  readonly #warnedMonths = new WeakMap<Account, number>();

  constructor(report: Report) {
    this.#report = report;
  }

  count(decision: AccessDecision, requests = 1): AccessDecision {
    const { error, key } = decision;
    const ofPlan = key && this.#countsOf(key.plan);
    if (error === undefined) {
      this.granted += requests;
      if (ofPlan) ofPlan.granted += requests;
    } else {
      add(this.rejected, error.code, requests);
      if (ofPlan) add(ofPlan.rejected, error.code, requests);
    }
    if (ofPlan && this.#warns(decision)) ofPlan.warnings += 1;
    return decision;
  }

  #countsOf(plan: string): PlanCounts {
    const name = this.byPlan.has(plan) || this.byPlan.size < MAX_PLANS ? plan : OTHER_PLANS;
    let counts = this.byPlan.get(name);
    if (counts === undefined) {
      counts = { granted: 0, rejected: new Map(), warnings: 0 };
      this.byPlan.set(name, counts);
    }
    return counts;
  }

  /** Warns about a nearly used quota unless already done this month; returns whether it did. */
  #warns({ key, limits, status }: AccessDecision): boolean {
    const quota = limits?.plan.monthlyQuota;
    if (key === undefined || quota === undefined || quota === 0 || status === undefined) return false;
    const { used, month } = status;
    if (used * 100 < quota * NEARLY_USED_PERCENT) return false;
    if (this.#warnedMonths.get(key.account) === month.index) return false;
    this.#warnedMonths.set(key.account, month.index);
    const percent = Math.floor((used * 100) / quota);
    this.#report(
      'warn',
      `API key ${key.label} has used ${percent} % of the quota of plan '${key.plan}' for ${month.label}: ${used} of ${quota}`,
    );
    return true;
  }
}

function add(counts: Map<ErrorCode, number>, code: ErrorCode, requests: number): void {
  counts.set(code, (counts.get(code) ?? 0) + requests);
}
