// Reads from a request what handlers need: its body, the scope of its token, and the target of a
// policy rule.
import { authorize } from '../../../kernel/http/steps.ts';
import type { TokenCaller } from '../authenticator.ts';
import type { Fields } from '../domain/attributes.ts';
import type { Credential, Group, Project, Role, Limit, Trust, User, Token } from '../model.ts';
import type { Call } from '../../../kernel/model.ts';

/** The attributes of the resource in the body. */
export const bodyOf = (call: Call, noun: string): Fields =>
  ((call.body as Fields)[noun] ?? {}) as Fields;

/** The token of the request; undefined with noauth2, which has no tokens. */
export const tokenOf = (call: Call): Token | undefined =>
  (call.caller as TokenCaller | undefined)?.info;

/** The domain of a domain-scoped token; undefined for other tokens. */
export const domainScope = (call: Call): string | undefined => call.caller?.domainId;

/**
 * The domain of a new resource if the request names none: the token's domain, or else the default
 * domain.
 */
export const fallbackDomain = (call: Call): string => domainScope(call) ?? 'default';

/** With a domain-scoped token, only the records in its domain; with other tokens, all records. */
export function inDomainScope<T>(
  call: Call,
  records: readonly T[],
  domainOf: (record: T) => string | null,
): readonly T[] {
  const domainId = domainScope(call);
  return domainId === undefined
    ? records
    : records.filter((record) => domainOf(record) === domainId);
}

/** The resources that a rule refers to, as far as they exist. */
export interface Subject {
  readonly user?: Pick<User, 'id' | 'domainId'> | undefined;
  readonly group?: Pick<Group, 'domainId'> | undefined;
  readonly project?: Pick<Project, 'id' | 'domainId'> | undefined;
  readonly domain?: Pick<Project, 'id'> | undefined;
  readonly role?: Pick<Role, 'name' | 'domainId'> | undefined;
  readonly credential?: Pick<Credential, 'userId'> | undefined;
  readonly token?: { readonly userId: string } | undefined;
  readonly trust?: Partial<Pick<Trust, 'trustorUserId' | 'trusteeUserId'>> | undefined;
  readonly limit?:
    | (Pick<Limit, 'projectId' | 'domainId'> & {
        readonly projectDomainId: string | null | undefined;
      })
    | undefined;
  readonly domainId?: string | null | undefined;
}

/** Enforces a policy rule, whose name is given without `identity:`. @throws 403 */
export function enforce(
  call: Call,
  rule: string,
  subject: Subject = {},
  params: Readonly<Record<string, string>> = call.params,
): void {
  authorize(call, `identity:${rule}`, { ...params, ...targetOf(subject) });
}

/** The target of a rule: the attributes of the subject under the names that rules use. */
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
    ...(project
      ? { 'target.project.id': project.id, 'target.project.domain_id': project.domainId }
      : {}),
    ...(domain ? { 'target.domain.id': domain.id } : {}),
    ...(role ? { 'target.role.name': role.name, 'target.role.domain_id': role.domainId } : {}),
    ...(credential ? { 'target.credential.user_id': credential.userId } : {}),
    ...(token ? { 'target.token.user_id': token.userId } : {}),
    ...(trust
      ? {
          'target.trust.trustor_user_id': trust.trustorUserId,
          'target.trust.trustee_user_id': trust.trusteeUserId,
        }
      : {}),
    ...(limit ? limitTarget(limit) : {}),
    ...(domainId === undefined ? {} : { 'target.domain_id': domainId }),
  };
}

const limitTarget = ({
  projectId,
  domainId,
  projectDomainId,
}: NonNullable<Subject['limit']>): Record<string, unknown> => ({
  'target.limit.project_id': projectId,
  ...(projectDomainId ? { 'target.limit.project.domain_id': projectDomainId } : {}),
  ...(domainId === null ? {} : { 'target.limit.domain.id': domainId }),
});
