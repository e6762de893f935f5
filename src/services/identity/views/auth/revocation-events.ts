// A revocation event in the format of the API.
import { isoMicros } from '../../../../kernel/clock.ts';
import type { RevocationEvent } from '../../model.ts';

/** An event with its cause alone. */
export function revocationEventView(event: RevocationEvent): object {
  const causes = {
    user_id: event.userId,
    project_id: event.projectId,
    audit_id: event.auditId,
    'OS-TRUST:trust_id': event.trustId,
    'OS-OAUTH1:consumer_id': event.consumerId,
  };
  const time = isoMicros(event.revokedAt);
  return {
    ...Object.fromEntries(Object.entries(causes).filter(([, value]) => value !== null)),
    issued_before: time,
    revoked_at: time,
  };
}
