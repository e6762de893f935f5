// What follows at once from a change of Compute's settings.
import type { Context } from '../../../../kernel/model.ts';
import { applyReclaimInterval } from './soft-delete.ts';
import { applyAuditSettings } from '../servers/usage-audit.ts';

/** Applies the settings with these names, which have changed. */
export async function applySettings(context: Context, changed: ReadonlySet<string>): Promise<void> {
  await applyReclaimInterval(context, changed);
  await applyAuditSettings(context, changed);
}
