// Access rules: the requests that an application credential may make.
import { noContent, ok } from '../../../../kernel/http/reply.ts';
import { deleteAccessRule } from '../../domain/application-credential/access-rules.ts';
import { refuseTrustScoped } from '../../domain/application-credential/application-credentials.ts';
import type { AccessRule } from '../../model.ts';
import { found } from '../../domain/refusals.ts';
import {
  findAccessRule,
  listAccessRules,
} from '../../store/application-credential/access-rules.ts';
import { findUser } from '../../store/identity/users.ts';
import { linkedAccessRuleView } from '../../views/application-credential/application-credentials.ts';
import { listBody } from '../lists.ts';
import { enforce, tokenOf } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/users/{user_id}/access_rules */
export async function list(call: Call): Promise<Reply> {
  const userId = call.params['user_id']!;
  enforce(call, 'list_access_rules', { user: await findUser(call.db, userId) });
  refuseTrustScoped(tokenOf(call));
  const views = (await listAccessRules(call.db, userId)).map((rule) =>
    linkedAccessRuleView(call, rule),
  );
  return ok(listBody(call, 'access_rules', views, ['service', 'path', 'method']));
}

/** GET /v3/users/{user_id}/access_rules/{access_rule_id} */
export async function show(call: Call): Promise<Reply> {
  return ok({
    access_rule: linkedAccessRuleView(call, await findAuthorized(call, 'get_access_rule')),
  });
}

/** DELETE /v3/users/{user_id}/access_rules/{access_rule_id} */
export async function remove(call: Call): Promise<Reply> {
  await deleteAccessRule(call, (await findAuthorized(call, 'delete_access_rule')).id);
  return noContent();
}

async function findAuthorized(call: Call, rule: string): Promise<AccessRule> {
  const { user_id: userId, access_rule_id: id } = call.params as {
    user_id: string;
    access_rule_id: string;
  };
  enforce(call, rule, { user: await findUser(call.db, userId) });
  refuseTrustScoped(tokenOf(call));
  const accessRule = await findAccessRule(call.db, id);
  return found(accessRule?.userId === userId ? accessRule : undefined, 'access_rule', id);
}
