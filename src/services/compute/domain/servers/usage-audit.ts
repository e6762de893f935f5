// The usage audit: after each period, Nova reports every server that existed in it. Upstream:
// compute/manager.py _instance_usage_audit, which checks every minute whether a period has ended.
import { cancel, schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context, Round } from '../../../../kernel/model.ts';
import { isNotifying } from '../../../../kernel/notifications.ts';
import { serversBetween } from '../../store/servers/servers.ts';
import { isConstant, startOfPeriod, startOfNext, startOfPrevious } from '../audit-periods.ts';
import { loadSettings } from '../settings.ts';
import { notifyAudit } from './notifications.ts';

/** The kind of the job that runs at the end of each period. */
export const auditKind = 'compute.usage_audit';

/** Reports the usage in the period that has just ended. */
export async function auditUsage(context: Context): Promise<Round | undefined> {
  const { db, now } = context;
  const { instanceUsageAudit, instanceUsageAuditPeriod: unit } = await loadSettings(context);
  if (!instanceUsageAudit) return undefined;
  const end = startOfPeriod(unit, now);
  const begin = startOfPrevious(unit, end);
  const servers = isNotifying(context) ? await serversBetween(db, begin, end) : [];
  for (const server of servers) await notifyAudit(context, server, { begin, end });
  const interval = startOfNext(unit, end) - now;
  // Rounds can be skipped only if they come at equal intervals.
  return servers.length || !isConstant(unit) ? { interval } : { interval, steadyUntil: Infinity };
}

/** Starts, stops or reschedules the audit after a change of its settings. */
export async function applyAuditSettings(
  context: Context,
  changed: ReadonlySet<string>,
): Promise<void> {
  if (!changed.has('instanceUsageAudit') && !changed.has('instanceUsageAuditPeriod')) return;
  const { db, now } = context;
  const { instanceUsageAudit, instanceUsageAuditPeriod: unit } = await loadSettings(context);
  await cancel(db, auditKind, '');
  if (!instanceUsageAudit) return;
  const dueAt = startOfNext(unit, startOfPeriod(unit, now));
  await schedule(db, { dueAt, kind: auditKind, subject: '', period: dueAt - now });
}
