// A role assignment as a client sees it, with links to the grant and the membership that it comes
// from.
import type { ListedAssignment } from '../../domain/assignment/assignments.ts';
import type { Group, Project, Role, User } from '../../model.ts';
import { linkTo } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

interface Named {
  readonly name: string;
  readonly domain: { readonly id: string; readonly name: string } | undefined;
}

/** Names of users, groups, roles, projects and domains by id, for clients that ask for names. */
export type Names = Readonly<
  Record<'user' | 'group' | 'role' | 'project' | 'domain', ReadonlyMap<string, Named>>
>;

/** The names of these records. `projects` includes the domains. */
export function namesOf(
  users: readonly User[],
  groups: readonly Group[],
  roles: readonly Role[],
  projects: readonly Project[],
): Names {
  const domains = new Map(
    projects.filter((project) => project.isDomain).map((domain) => [domain.id, domain.name]),
  );
  const named = (records: readonly { id: string; name: string; domainId: string | null }[]) =>
    new Map(
      records.map(({ id, name, domainId }) => [
        id,
        {
          name,
          domain:
            domainId === null ? undefined : { id: domainId, name: domains.get(domainId) ?? '' },
        },
      ]),
    );
  return {
    user: named(users),
    group: named(groups),
    role: named(roles),
    project: named(projects),
    domain: named(projects),
  };
}

/** A role assignment; with names where they are given. */
export function assignmentView(
  call: Call,
  one: ListedAssignment,
  names: Names | undefined,
): object {
  const party = (kind: keyof Names, id: string): object => {
    if (!names) return { id };
    const { name, domain } = names[kind].get(id) ?? { name: '', domain: { id: '', name: '' } };
    return { id, name, ...(domain ? { domain } : {}) };
  };
  return {
    links: linksOf(call, one),
    role: party('role', one.roleId),
    [one.actorType]: party(one.actorType, one.actorId),
    scope: {
      ...(one.targetType === 'system'
        ? { system: { all: true } }
        : { [one.targetType]: party(one.targetType, one.targetId) }),
      ...(one.inherited || one.from ? { 'OS-INHERIT:inherited_to': 'projects' } : {}),
    },
  };
}

function linksOf(call: Call, one: ListedAssignment): object {
  const inherited = one.inherited || one.from !== undefined;
  const place = one.from ?? { type: one.targetType, id: one.targetId };
  const target = place.type === 'system' ? 'system' : `${place.type}s/${place.id}`;
  const actor =
    one.groupId === undefined ? `${one.actorType}s/${one.actorId}` : `groups/${one.groupId}`;
  const path = `${target}/${actor}/roles/${one.priorId ?? one.roleId}`;
  return {
    assignment: linkTo(call, inherited ? `OS-INHERIT/${path}/inherited_to_projects` : path),
    ...(one.groupId === undefined
      ? {}
      : { membership: linkTo(call, `groups/${one.groupId}/users/${one.actorId}`) }),
    ...(one.priorId === undefined
      ? {}
      : { prior_role: linkTo(call, `prior_role/${one.roleId}/implies/${one.priorId}`) }),
  };
}
