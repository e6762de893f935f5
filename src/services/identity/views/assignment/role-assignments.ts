// A role assignment in the format of the API, with links to the grant and the membership that it
// comes from.
import type { ListedAssignment } from '../../domain/assignment/assignments.ts';
import type { Group, Project, Role, User } from '../../model.ts';
import { linkTo } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

interface Named {
  readonly name: string;
  readonly domain: { readonly id: string; readonly name: string } | undefined;
}

/** The names of users, groups, roles, projects and domains by id, for `include_names`. */
export type Names = Readonly<
  Record<'user' | 'group' | 'role' | 'project' | 'domain', ReadonlyMap<string, Named>>
>;

/** Collects the names of these records. `projects` includes the domains. */
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

/** A role assignment, with names if they are given. */
export function assignmentView(
  call: Call,
  assignment: ListedAssignment,
  names: Names | undefined,
): object {
  const reference = (kind: keyof Names, id: string): object => {
    if (!names) return { id };
    const { name, domain } = names[kind].get(id) ?? { name: '', domain: { id: '', name: '' } };
    return { id, name, ...(domain ? { domain } : {}) };
  };
  return {
    links: linksOf(call, assignment),
    role: reference('role', assignment.roleId),
    [assignment.actorType]: reference(assignment.actorType, assignment.actorId),
    scope: {
      ...(assignment.targetType === 'system'
        ? { system: { all: true } }
        : { [assignment.targetType]: reference(assignment.targetType, assignment.targetId) }),
      ...(assignment.inherited || assignment.from ? { 'OS-INHERIT:inherited_to': 'projects' } : {}),
    },
  };
}

function linksOf(call: Call, assignment: ListedAssignment): object {
  const inherited = assignment.inherited || assignment.from !== undefined;
  const source = assignment.from ?? { type: assignment.targetType, id: assignment.targetId };
  const target = source.type === 'system' ? 'system' : `${source.type}s/${source.id}`;
  const actor =
    assignment.groupId === undefined
      ? `${assignment.actorType}s/${assignment.actorId}`
      : `groups/${assignment.groupId}`;
  const path = `${target}/${actor}/roles/${assignment.priorId ?? assignment.roleId}`;
  return {
    assignment: linkTo(call, inherited ? `OS-INHERIT/${path}/inherited_to_projects` : path),
    ...(assignment.groupId === undefined
      ? {}
      : { membership: linkTo(call, `groups/${assignment.groupId}/users/${assignment.actorId}`) }),
    ...(assignment.priorId === undefined
      ? {}
      : {
          prior_role: linkTo(call, `prior_role/${assignment.roleId}/implies/${assignment.priorId}`),
        }),
  };
}
