// Access rules, which limit application credentials. A rule remains when its application credential
// is deleted.
import { isForeignKey } from '../../../../kernel/db/errors.ts';
import { forbidden } from '../../../../kernel/errors.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import * as store from '../../store/application-credential/access-rules.ts';
import type { AccessRule } from '../../model.ts';
import { checkLength, found } from '../refusals.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';

/** An access rule in a request: the id of an existing rule, or the attributes of a new one. */
export interface AccessRuleRequest {
  readonly id?: string;
  readonly service?: string;
  readonly path?: string;
  readonly method?: string;
}

/**
 * Returns the access rules of a new application credential. Reuses the rules that the user already
 * has, and creates the others.
 * @throws 400, 404
 */
export async function ensureAccessRules(
  db: Db,
  requests: readonly AccessRuleRequest[] | undefined,
  userId: string,
): Promise<AccessRule[]> {
  const rules: AccessRule[] = [];
  for (const { id, service = '', path = '', method = '' } of requests ?? []) {
    const byId = id === undefined ? undefined : await store.findAccessRule(db, id);
    const existing =
      byId ??
      (await store.listAccessRules(db, userId)).find(
        (rule) => rule.service === service && rule.path === path && rule.method === method,
      );
    if (existing) {
      if (!rules.some((rule) => rule.id === existing.id)) rules.push(existing);
      continue;
    }
    if (id !== undefined && !service) throw found(undefined, 'access_rule', id);
    const rule = { id: id ?? newHexId(), userId, service, path, method };
    checkLength('path', path, 128);
    await store.insertAccessRule(db, rule);
    rules.push(rule);
  }
  return rules;
}

/** Deletes an access rule. @throws 403 while an application credential uses it */
export async function deleteAccessRule({ db }: Context, id: string): Promise<void> {
  try {
    await store.deleteAccessRule(db, id);
  } catch (error) {
    throw isForeignKey(error) ? forbidden('May not delete access rule in use') : error;
  }
}
