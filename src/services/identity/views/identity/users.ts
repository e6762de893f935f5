// A user as a client sees it, without the password.
import type { User } from '../../model.ts';
import { linkTo, type View } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

/** A user. One without a default project has no such attribute. */
export function userView(call: Call, user: User): View {
  return {
    ...user.extra,
    id: user.id,
    name: user.name,
    domain_id: user.domainId,
    enabled: user.enabled,
    ...(user.defaultProjectId === null ? {} : { default_project_id: user.defaultProjectId }),
    password_expires_at: null,
    options: user.options,
    links: { self: linkTo(call, `users/${user.id}`) },
  };
}
