// A group in the format of the API.
import type { Group } from '../../model.ts';
import { linkTo, type View } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

export function groupView(call: Call, group: Group): View {
  return {
    ...group.extra,
    id: group.id,
    name: group.name,
    domain_id: group.domainId,
    description: group.description,
    links: { self: linkTo(call, `groups/${group.id}`) },
  };
}
