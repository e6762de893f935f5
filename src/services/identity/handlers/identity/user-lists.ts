// The bodies of lists of users.
import type { Call } from '../../../../kernel/model.ts';
import { isEnabled } from '../../domain/identity/inactivity.ts';
import { loadSettings } from '../../domain/settings.ts';
import type { User } from '../../model.ts';
import { userView } from '../../views/identity/users.ts';
import type { View } from '../../views/links.ts';
import { listBody, listLimit } from '../lists.ts';

/**
 * The body of a list of users. The filter `enabled` ignores that users are inactive, as upstream,
 * where the database filters.
 */
export async function usersBody(call: Call, users: readonly User[]): Promise<object> {
  const views = users.map((user) => userView(call, user));
  const filters = ['domain_id', 'enabled', 'name'];
  const limit = await listLimit(call, 'users');
  const body = listBody(call, 'users', views, filters, limit) as { users: readonly View[] };
  const settings = await loadSettings(call);
  const inactive = new Set(
    users.filter((user) => !isEnabled(user, settings, call.now)).map(({ id }) => id),
  );
  const shown = body.users.map((view) =>
    inactive.has(view.id) ? { ...view, enabled: false } : view,
  );
  return { ...body, users: shown };
}
