// Revocation events: what has ended tokens. Upstream: keystone/api/os_revoke.py.
import { parseTime } from '../../../../kernel/clock.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import { ok } from '../../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import { listRevocationEvents } from '../../store/auth/revocation-events.ts';
import { revocationEventView } from '../../views/auth/revocation-events.ts';
import { linkTo } from '../../views/links.ts';
import { enforce } from '../requests.ts';

/** GET /v3/OS-REVOKE/events */
export async function list(call: Call): Promise<Reply> {
  enforce(call, 'list_revoke_events');
  const since = call.query.first('since');
  const after = since ? parseTime(since) : undefined;
  if (since && after === undefined) throw badRequest(`invalidate date format ${since}`);
  const events = await listRevocationEvents(call.db, after);
  return ok({
    events: events.map(revocationEventView),
    links: { next: null, self: linkTo(call, 'OS-REVOKE/events'), previous: null },
  });
}
