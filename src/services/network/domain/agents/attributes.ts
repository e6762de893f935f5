// The attributes of an agent.
import { orNull, text } from '../attributes/checks.ts';
import { toBoolean } from '../attributes/convert.ts';
import { listable, type AttributeMap, type Fields } from '../attributes/definitions.ts';
import type { AgentChange } from './agents.ts';

export const agentAttributes: AttributeMap = {
  resource: 'agent',
  collection: 'agents',
  attributes: {
    id: listable,
    agent_type: listable,
    binary: listable,
    topic: listable,
    host: listable,
    alive: listable,
    availability_zone: listable,
    admin_state_up: { ...listable, put: true, convert: toBoolean },
    description: { ...listable, put: true, check: orNull(text(255)) },
  },
};

/** Converts the fields of a PUT body to a change of an agent. */
export const agentChange = (fields: Fields): AgentChange => ({
  ...('admin_state_up' in fields ? { up: fields['admin_state_up'] as boolean } : {}),
  ...('description' in fields ? { description: fields['description'] as string | null } : {}),
});
