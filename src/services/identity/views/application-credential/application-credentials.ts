// Application credentials and access rules in the format of the API, without the secret.
import { isoMicros } from '../../../../kernel/clock.ts';
import type { AccessRule, ApplicationCredential, Role } from '../../model.ts';
import { linkTo, type View } from '../links.ts';
import { plainRoleView } from '../assignment/roles.ts';
import type { Call } from '../../../../kernel/model.ts';

/** An application credential. `roles` are all roles of the cloud. */
export function applicationCredentialView(
  call: Call,
  credential: ApplicationCredential,
  roles: readonly Role[],
): View {
  const {
    id,
    name,
    description,
    userId,
    projectId,
    system,
    expiresAt,
    unrestricted,
    roleIds,
    accessRules,
  } = credential;
  const delegated = new Set(roleIds);
  return {
    id,
    name,
    description,
    user_id: userId,
    project_id: projectId,
    system,
    expires_at: expiresAt === null ? null : isoMicros(expiresAt).slice(0, -1),
    unrestricted,
    roles: roles.filter((role) => delegated.has(role.id)).map(plainRoleView),
    ...(accessRules.length ? { access_rules: accessRules.map(accessRuleView) } : {}),
    links: { self: linkTo(call, `application_credentials/${id}`) },
  };
}

export const accessRuleView = ({ id, service, path, method }: AccessRule): View => ({
  id,
  service,
  path,
  method,
});

export const linkedAccessRuleView = (call: Call, rule: AccessRule): View => ({
  ...accessRuleView(rule),
  links: { self: linkTo(call, `access_rules/${rule.id}`) },
});
