// A user in the format of the API, without the password.
import { naiveIsoOrNull } from '../../../../kernel/clock.ts';
import type { User } from '../../model.ts';
import { linkTo, type View } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

/** A user. The attribute default_project_id is absent if the user has none. */
export function userView(call: Call, user: User): View {
  return {
    ...user.extra,
    id: user.id,
    name: user.name,
    domain_id: user.domainId,
    enabled: user.enabled,
    ...(user.defaultProjectId === null ? {} : { default_project_id: user.defaultProjectId }),
    password_expires_at: naiveIsoOrNull(user.passwordExpiresAt),
    options: user.options,
    links: { self: linkTo(call, `users/${user.id}`) },
  };
}
