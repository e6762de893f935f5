// Records why leases are refused, and what they get.
import { isExplained, recordDecision } from '../../../../emulator/explain/record.ts';
import type { Explanation } from '../../../../emulator/explain/model.ts';
import type { Context } from '../../../../kernel/model.ts';
import { counted } from '../../../../kernel/user/sentences.ts';
import { allocationsOf } from '../../store/allocations.ts';
import { floatingIpsOf } from '../../store/floating-ips.ts';
import { findHosts } from '../../store/hosts.ts';
import { leasesById } from '../../store/leases.ts';
import type { Reservation, WholeLease } from '../../model.ts';
import { during } from '../candidates/causes.ts';
import { dateText } from '../dates.ts';
import { RefusedReservation, type Refusal } from '../refusals.ts';
import { alternativesTo } from './alternatives.ts';
import { changeView, explanationLines, leasesIn, resourcesView } from './describe.ts';

/** What is done with a lease. */
export interface LeaseOperation {
  readonly operation: 'create' | 'update' | 'replace_host';
  /** Null if the lease does not exist yet. */
  readonly id: string | null;
  readonly name: string;
  /** Whether the lease may start later: not if it has started. */
  readonly isMovable: boolean;
}

type Explained = Pick<Explanation, 'summary' | 'text' | 'details'>;

/** Runs an operation on a lease, and records what it gets or why it is refused. */
export async function explained(
  context: Context,
  operation: LeaseOperation,
  run: () => Promise<WholeLease>,
): Promise<WholeLease> {
  let whole: WholeLease;
  try {
    whole = await run();
  } catch (error) {
    if (error instanceof RefusedReservation) await recordRefusal(context, operation, error);
    throw error;
  }
  await recordLease(context, operation, whole);
  return whole;
}

/** Records why a lease is refused: in its transaction, before that is rolled back. */
export async function recordRefusal(
  context: Context,
  operation: LeaseOperation,
  { refusal, message }: RefusedReservation,
): Promise<void> {
  const { id, name } = operation;
  const explanation = await explanationOf(context, operation, refusal, message);
  recordDecision(context, { kind: 'lease', subject: id, name, outcome: 'failure' }, () => ({
    summary: explanation.summary,
    text: explanation.text,
    details: { operation: operation.operation, message, ...explanation.details },
  }));
}

function explanationOf(
  context: Context,
  operation: LeaseOperation,
  refusal: Refusal,
  message: string,
): Explained | Promise<Explained> {
  const start = `Lease '${operation.name}' is refused`;
  switch (refusal.refused) {
    case 'max_lease_duration': {
      const { seconds, longest } = refusal;
      const summary = `${start}: it lasts ${seconds} seconds, and at most ${longest} are allowed.`;
      return {
        summary,
        text: [
          summary,
          `  to fit: shorten it by ${seconds - longest} seconds, or raise max_lease_duration`,
        ],
        details: {
          refused_by: refusal.refused,
          rule: { max_lease_duration: longest, duration: seconds },
        },
      };
    }
    case 'external_service': {
      const { url, status } = refusal;
      const answer = status
        ? `answers ${status}${refusal.message === null ? '' : `: ${refusal.message}`}`
        : 'does not answer';
      const summary = `${start}: the external service at ${url} ${answer}.`;
      return {
        summary,
        text: [summary],
        details: {
          refused_by: refusal.refused,
          rule: { url, status: status || null, message: refusal.message },
        },
      };
    }
    case 'resources':
      return resourcesExplanation(context, operation, refusal, `${start}: ${message}`);
  }
}

async function resourcesExplanation(
  context: Context,
  { isMovable }: LeaseOperation,
  refusal: Extract<Refusal, { refused: 'resources' }>,
  start: string,
): Promise<Explained> {
  const question = await refusal.ask(context);
  const resources = question.resources();
  const alternatives = alternativesTo(question, isMovable);
  const leases = await leasesById(context.db, leasesIn(resources, alternatives));
  const { span, amount, resourceType } = question;
  const { next, largest, changes } = alternatives;
  const summary = start.endsWith('.') ? start : `${start}.`;
  return {
    summary,
    text: [
      summary,
      ...explanationLines(question, resources, alternatives, leases).map((line) => `  ${line}`),
    ],
    details: {
      refused_by: refusal.refused,
      reservation: {
        resource_type: resourceType,
        amount,
        start_date: dateText(span.startAt),
        end_date: dateText(span.endAt),
      },
      resources: resourcesView(resources, leases),
      next: next ? { start_date: dateText(next.startAt), end_date: dateText(next.endAt) } : null,
      largest,
      changes: changes?.map((one) => changeView(one, leases)) ?? null,
    },
  };
}

/** Records what a lease has got. */
async function recordLease(
  context: Context,
  { operation }: LeaseOperation,
  { lease, reservations }: WholeLease,
): Promise<void> {
  const { id: subject, name } = lease;
  const decision = { kind: 'lease', subject, name, outcome: 'success' } as const;
  const got: Got[] = [];
  if (isExplained(context, 'success'))
    for (const reservation of reservations) got.push(await gotBy(context, reservation));
  recordDecision(context, decision, () => {
    const summary = `Lease '${name}' has ${counted(got.length, 'reservation')} ${during(lease)}.`;
    return {
      summary,
      text: [summary, ...got.map(({ text }) => `  ${text}`)],
      details: { operation, reservations: got.map(({ view }) => view) },
    };
  });
}

/** What a reservation has got, in words and for programs. */
interface Got {
  readonly text: string;
  readonly view: object;
}

async function gotBy({ db }: Context, { id, resourceType, details }: Reservation): Promise<Got> {
  const found: { name: string; amount: number }[] = [];
  if ('networkId' in details)
    for (const { address } of await floatingIpsOf(db, id)) found.push({ name: address, amount: 1 });
  else {
    const allocations = await allocationsOf(db, id);
    const hosts = await findHosts(
      db,
      allocations.map(({ hostId }) => hostId),
    );
    const names = new Map(hosts.map((host) => [host.id, host.hypervisorHostname]));
    for (const { hostId, slots } of allocations)
      found.push({ name: names.get(hostId)!, amount: slots });
  }
  const texts = found.map(({ name, amount }) => `${name} (${amount})`);
  return {
    text: `${resourceType}: ${texts.join(', ')}`,
    view: { id, resource_type: resourceType, resources: found },
  };
}
