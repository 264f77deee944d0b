import type { Plan } from '../../src/access/plan.ts';
import { createApp } from '../../src/server/app.ts';
import { control } from '../access/control.ts';
import { newFolder } from './process.ts';
import { type ServerChanges, testServer } from './service.ts';

/** The header with the only key of a {@link keyedApp}. */
export const KEY = { 'X-API-Key': 'key' };

/** An app with one key on a plan, which has no limits by default. */
export function keyedApp(plan: Partial<Plan>, changes: ServerChanges = {}) {
  const keys = [{ key: 'key', plan: 'small', name: 'key' }];
  const plans = [{ name: 'small', rate: undefined, monthlyQuota: undefined, ...plan }];
  const { access } = control(newFolder(), { keys, plans });
  return { app: createApp(testServer({ access, ...changes })), access };
}
