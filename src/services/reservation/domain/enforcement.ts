// What an operator forbids: leases that are too long, and those that a service outside refuses. Upstream: blazar/enforcement.
import { SECOND } from '../../../kernel/clock.ts';
import { badRequest, forbidden } from '../../../kernel/fault.ts';
import type { Work } from '../../../kernel/model.ts';
import type { Lease, WholeLease } from './records.ts';
import { settingsOf } from './settings.ts';

/** @throws 403 when a lease is made, 400 when it is changed */
export async function checkDuration(work: Work, lease: Lease, when: 'create' | 'update'): Promise<void> {
  const { maxLeaseDuration: longest, maxLeaseDurationExemptProjectIds: exempt } = await settingsOf(work);
  const seconds = (lease.endAt - lease.startAt) / SECOND;
  if (longest < 0 || seconds <= longest || exempt.includes(lease.projectId)) return;
  const message = `Lease duration of ${seconds} seconds must be less than or equal to the maximum lease duration of ${longest} seconds.`;
  throw when === 'create' ? forbidden(message) : badRequest(message);
}

/** Tells the service outside that a lease ends. */
export async function tellEnd(_work: Work, _whole: WholeLease): Promise<void> {}
