// The rules for application credentials. Upstream: api/users.py and application_credential/core.py.
import { parseTime, type Micros } from '../../../../kernel/clock.ts';
import { badRequest, notFound } from '../../../../kernel/fault.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { findAccessRule, insertAccessRule, listAccessRules } from '../../store/application-credential/application-credentials.ts';
import { listImplications, listRoles } from '../../store/assignment/roles.ts';
import { impliedBy } from '../assignment/assignments.ts';
import type { AccessRule, Role } from '../records.ts';
import { checkLength, forbiddenAction, forbiddenPlainly, found } from '../refusals.ts';
import { rolesIn } from '../assignment/effective-roles.ts';
import type { Token } from '../auth/tokens.ts';
import type { Db } from '../../../../kernel/db/database.ts';

const malformed =
  'The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.';

export interface AskedRole {
  readonly id?: string;
  readonly name?: string;
}

export interface AskedRule {
  readonly id?: string;
  readonly service?: string;
  readonly path?: string;
  readonly method?: string;
}

/** A token that was got with an application credential makes no more of them, unless that one is unrestricted. @throws 403 */
export function refuseRestricted(token: Token | undefined, things = 'application credentials'): void {
  if (!token?.methods.includes('application_credential') || token.applicationCredential?.unrestricted) return;
  throw forbiddenAction(`Using method 'application_credential' is not allowed for managing additional ${things}.`);
}

/** Tokens that were got by a trust manage no application credentials. Upstream: api/users.py. @throws 403 */
export function refuseTrusted(token: Token | undefined): void {
  if (token?.trust) throw forbiddenPlainly();
}

/** The end of a credential or a trust, by the emulator's clock. @throws 400 for what is no time, or past */
export function expiry(text: string | null | undefined, now: Micros): Micros | null {
  if (text === null || text === undefined) return null;
  const time = parseTime(text);
  if (time === undefined) throw badRequest(`Timestamp not in expected format. ${malformed}`);
  if (time < now) throw badRequest(`The 'expires_at' must not be before now. ${malformed}`);
  return time;
}

/** The roles asked for with what they imply, or else all of the token; the user must have them on the project. @throws 400, 404 */
export async function rolesFor(
  db: Db,
  asked: readonly AskedRole[] | undefined,
  ofToken: readonly string[],
  owner: { userId: string; projectId: string },
): Promise<string[]> {
  const roles = await listRoles(db);
  const held = roles.filter((role) => role.domainId === null && ofToken.includes(role.name)).map((role) => role.id);
  const wanted = asked?.length ? await withImplied(db, asked, roles) : held;
  if (wanted.some((id) => !held.includes(id))) {
    throw badRequest('Invalid application credential: Cannot create an application credential with unassigned role');
  }
  const onProject = (await rolesIn(db, owner.userId, { kind: 'project', id: owner.projectId })).map((role) => role.id);
  const lost = wanted.find((id) => !onProject.includes(id));
  if (lost !== undefined) {
    const what = `Could not find role assignment with role: ${lost}, user or group: ${owner.userId}, project, domain, or system: ${owner.projectId}.`;
    throw badRequest(`Invalid application credential: ${what}`);
  }
  return wanted;
}

async function withImplied(db: Db, asked: readonly AskedRole[], roles: readonly Role[]): Promise<string[]> {
  const implications = await listImplications(db);
  const ids = asked.map((role) => role.id ?? idOf(role.name!, roles));
  return [...new Set(ids.flatMap((id) => [id, ...impliedBy(id, implications).map((step) => step.impliedId)]))];
}

/** The id of the role of that name. @throws 400, 404 */
export function idOf(name: string, roles: readonly Role[]): string {
  const named = roles.filter((role) => role.name === name);
  if (!named.length) throw notFound(`Role ${name} is not defined`);
  if (named.length > 1)
    throw badRequest(
      `There are multiple role entities named '${name}'. Please use ID instead of names to resolve the ambiguity.`,
    );
  return named[0]!.id;
}

/** The rules asked for: those that the user has already are used again, others made. @throws 404 */
export async function rulesFor(db: Db, asked: readonly AskedRule[] | undefined, userId: string): Promise<AccessRule[]> {
  const rules: AccessRule[] = [];
  for (const { id, service = '', path = '', method = '' } of asked ?? []) {
    const byId = id === undefined ? undefined : await findAccessRule(db, id);
    const same =
      byId ??
      (await listAccessRules(db, userId)).find((one) => one.service === service && one.path === path && one.method === method);
    if (same) {
      if (!rules.some((one) => one.id === same.id)) rules.push(same);
      continue;
    }
    if (id !== undefined && !service) throw found(undefined, 'accessRule', id);
    const rule = { id: id ?? newHexId(), userId, service, path, method };
    checkLength('path', path, 128);
    await insertAccessRule(db, rule);
    rules.push(rule);
  }
  return rules;
}
