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
  requests: readonly AccessRuleRequest[] = [],
  userId: string,
): Promise<AccessRule[]> {
  if (!requests.length) return [];
  const ids = requests.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const byId = new Map((await store.findAccessRules(db, ids)).map((rule) => [rule.id, rule]));
  const own = await store.listAccessRules(db, userId);
  const byContent = new Map(own.map((rule) => [contentOf(rule), rule]));
  const rules = new Map<string, AccessRule>();
  const created: AccessRule[] = [];
  for (const { id, service = '', path = '', method = '' } of requests) {
    const named = id === undefined ? undefined : byId.get(id);
    const existing = named ?? byContent.get(contentOf({ service, path, method }));
    if (!existing && id !== undefined && !service) throw found(undefined, 'access_rule', id);
    const rule = existing ?? { id: id ?? newHexId(), userId, service, path, method };
    rules.set(rule.id, rule);
    if (existing) continue;
    checkLength('path', path, 128);
    byId.set(rule.id, rule);
    byContent.set(contentOf(rule), rule);
    created.push(rule);
  }
  await store.insertAccessRules(db, created);
  return [...rules.values()];
}

const contentOf = ({ service, path, method }: Omit<AccessRule, 'id' | 'userId'>): string =>
  JSON.stringify([service, path, method]);

/** Deletes an access rule. @throws 403 while an application credential uses it */
export async function deleteAccessRule({ db }: Context, id: string): Promise<void> {
  try {
    await store.deleteAccessRule(db, id);
  } catch (error) {
    throw isForeignKey(error) ? forbidden('May not delete access rule in use') : error;
  }
}
