// An assignment as a client sees it, with links to the grant and the membership that it comes from.
import type { Listed } from '../../domain/assignment/assignments.ts';
import { linkTo } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

interface Named {
  readonly name: string;
  readonly domain: { readonly id: string; readonly name: string } | undefined;
}

/** Names by kind and id, where the client wants them. */
export type Names = Readonly<Record<'user' | 'group' | 'role' | 'project' | 'domain', ReadonlyMap<string, Named>>>;

/** An assignment; names where there are any. */
export function assignmentView(call: Call, one: Listed, names: Names | undefined): object {
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
      ...(one.targetType === 'system' ? { system: { all: true } } : { [one.targetType]: party(one.targetType, one.targetId) }),
      ...(one.inherited || one.from ? { 'OS-INHERIT:inherited_to': 'projects' } : {}),
    },
  };
}

function linksOf(call: Call, one: Listed): object {
  const inherited = one.inherited || one.from !== undefined;
  const place = one.from ?? { type: one.targetType, id: one.targetId };
  const target = place.type === 'system' ? 'system' : `${place.type}s/${place.id}`;
  const actor = one.groupId === undefined ? `${one.actorType}s/${one.actorId}` : `groups/${one.groupId}`;
  const path = `${target}/${actor}/roles/${one.priorId ?? one.roleId}`;
  return {
    assignment: linkTo(call, inherited ? `OS-INHERIT/${path}/inherited_to_projects` : path),
    ...(one.groupId === undefined ? {} : { membership: linkTo(call, `groups/${one.groupId}/users/${one.actorId}`) }),
    ...(one.priorId === undefined ? {} : { prior_role: linkTo(call, `prior_role/${one.roleId}/implies/${one.priorId}`) }),
  };
}
