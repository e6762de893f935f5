// Records what ends tokens, for clients that ask for revocation events. Tokens themselves end by
// their epochs and by cumulet_revoked_tokens. Upstream: keystone/revoke.
import { SECOND } from '../../../../kernel/clock.ts';
import type { Context } from '../../../../kernel/model.ts';
import { insertRevocationEvents } from '../../store/auth/revocation-events.ts';
import type { RevocationEvent } from '../../model.ts';
import { loadSettings } from '../settings.ts';

/** How long events are kept after tokens have expired. Upstream: [revoke] expiration_buffer. */
const buffer = 1800;

/** Why tokens ended: one of the fields of an event. */
type Cause = Partial<Omit<RevocationEvent, 'revokedAt'>>;

const nothing = { userId: null, projectId: null, trustId: null, consumerId: null, auditId: null };

/** Records events with these causes. */
export async function recordRevocations(
  { db, now }: Pick<Context, 'db' | 'now'>,
  ...causes: readonly Cause[]
): Promise<void> {
  if (!causes.length) return;
  const { tokenExpiration } = await loadSettings({ db });
  const revokedAt = Math.floor(now / SECOND) * SECOND;
  const events = causes.map((cause) => ({ ...nothing, ...cause, revokedAt }));
  await insertRevocationEvents(db, events, now - (tokenExpiration + buffer) * SECOND);
}
