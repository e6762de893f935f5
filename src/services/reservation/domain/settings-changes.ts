// What follows a change of settings at once.
import type { Context } from '../../../kernel/model.ts';
import { applyMonitorInterval } from './healing.ts';
import { applyStrict } from './strict.ts';

/** Applies the settings with these fields, which have changed. */
export async function applySettings(context: Context, changed: ReadonlySet<string>): Promise<void> {
  if (changed.has('monitorInterval')) await applyMonitorInterval(context);
  if (changed.has('strict')) await applyStrict(context);
}
