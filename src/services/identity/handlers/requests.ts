// What handlers ask of a request: its body, whom its token is for, and what policy looks at.
import { badRequest } from '../../../kernel/fault.ts';
import { authorize } from '../../../kernel/http/steps.ts';
import type { TokenCaller } from '../authenticator.ts';
import type { Credential, Group, Project, Role, Limit, Trust, User } from '../domain/records.ts';
import type { Token } from '../domain/auth/tokens.ts';
import type { Call } from '../../../kernel/model.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** What stands in the body under the noun. */
export const bodyOf = (call: Call, noun: string): Fields => ((call.body as Fields)[noun] ?? {}) as Fields;

/** The token of the request; undefined where services are asked without Keystone (noauth2). */
export const tokenOf = (call: Call): Token | undefined => (call.caller as TokenCaller | undefined)?.info;

/** The domain that the token is for; undefined where it is for something else. */
export const domainScope = (call: Call): string | undefined => call.caller?.domainId;

/** The domain of what is made without saying where: that of the token, or else the default one. */
export const homeDomain = (call: Call): string => domainScope(call) ?? 'default';

/** Only what is in the domain that the token is for. */
export function inDomainScope<T>(call: Call, things: readonly T[], domainOf: (thing: T) => string | null): readonly T[] {
  const domainId = domainScope(call);
  return domainId === undefined ? things : things.filter((thing) => domainOf(thing) === domainId);
}

/** What a rule may look at, as far as it is known. */
export interface Subject {
  readonly user?: Pick<User, 'id' | 'domainId'> | undefined;
  readonly group?: Pick<Group, 'domainId'> | undefined;
  readonly project?: Pick<Project, 'id' | 'domainId'> | undefined;
  readonly domain?: Pick<Project, 'id'> | undefined;
  readonly role?: Pick<Role, 'name' | 'domainId'> | undefined;
  readonly credential?: Pick<Credential, 'userId'> | undefined;
  readonly token?: { readonly userId: string } | undefined;
  readonly trust?: Partial<Pick<Trust, 'trustorUserId' | 'trusteeUserId'>> | undefined;
  readonly limit?: (Pick<Limit, 'projectId' | 'domainId'> & { readonly projectDomainId: string | null | undefined }) | undefined;
  readonly domainId?: string | null | undefined;
}

/** @throws 403 where the caller may not do it. The rule is given without `identity:` */
export function allow(
  call: Call,
  rule: string,
  subject: Subject = {},
  params: Readonly<Record<string, string>> = call.params,
): void {
  authorize(call, `identity:${rule}`, { ...params, ...targetOf(subject) });
}

/** The subject under the names that rules use. */
export function targetOf({
  user,
  group,
  project,
  domain,
  role,
  credential,
  token,
  trust,
  limit,
  domainId,
}: Subject): Record<string, unknown> {
  return {
    ...(user ? { 'target.user.id': user.id, 'target.user.domain_id': user.domainId } : {}),
    ...(group ? { 'target.group.domain_id': group.domainId } : {}),
    ...(project ? { 'target.project.id': project.id, 'target.project.domain_id': project.domainId } : {}),
    ...(domain ? { 'target.domain.id': domain.id } : {}),
    ...(role ? { 'target.role.name': role.name, 'target.role.domain_id': role.domainId } : {}),
    ...(credential ? { 'target.credential.user_id': credential.userId } : {}),
    ...(token ? { 'target.token.user_id': token.userId } : {}),
    ...(trust
      ? { 'target.trust.trustor_user_id': trust.trustorUserId, 'target.trust.trustee_user_id': trust.trusteeUserId }
      : {}),
    ...(limit ? limitTarget(limit) : {}),
    ...(domainId === undefined ? {} : { 'target.domain_id': domainId }),
  };
}

const limitTarget = ({ projectId, domainId, projectDomainId }: NonNullable<Subject['limit']>): Record<string, unknown> => ({
  'target.limit.project_id': projectId,
  ...(projectDomainId ? { 'target.limit.project.domain_id': projectDomainId } : {}),
  ...(domainId === null ? {} : { 'target.limit.domain.id': domainId }),
});

/** A change keeps the id, and the domain of what stands in one. @throws 400 */
export function refuseMove(fields: Fields, { id, domainId }: { readonly id: string; readonly domainId?: string | null }): void {
  if ('id' in fields && fields['id'] !== id) throw badRequest('Cannot change ID');
  if (domainId !== undefined && 'domain_id' in fields && fields['domain_id'] !== domainId) {
    throw badRequest('Cannot change Domain ID');
  }
}

/** What the body has beyond the names that the API knows. */
export function extraOf(fields: Fields, known: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !known.includes(name)));
}

/** A text that the contract has looked at. */
export const textOf = (fields: Fields, name: string): string => fields[name] as string;

/** The body of what is made: `a-b` and `a:b` are `a_b` in names. Upstream: server/flask/common.py, _normalize_dict. */
export function normalized(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.replace(/[:-]/g, '_'), value]));
}

/** A truth value, also as one of the words for it that the contract allows. */
export const truth = (value: unknown): boolean =>
  typeof value === 'string' ? !/^(false|0|n|no|off|)$/i.test(value) : Boolean(value);

/** The given settings over those that there are; null takes one back. */
export function mergedOptions(before: Fields, given: unknown): Fields {
  return Object.fromEntries(
    Object.entries({ ...before, ...(given as Fields | undefined) }).filter(([, value]) => value !== null),
  );
}
