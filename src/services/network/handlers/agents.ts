// Agents, the networks on DHCP agents and the routers on L3 agents. Upstream:
// neutron/extensions/{agent,dhcpagentscheduler,l3agentscheduler}.py.
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import { may } from '../../../kernel/http/steps.ts';
import {
  addNetwork,
  addRouter,
  agentsOf,
  changeAgent,
  deleteAgent,
  getAgent,
  hostedBy,
  loadedAgent,
  loadedAgents,
  removeNetwork,
  removeRouter,
} from '../domain/agents/agents.ts';
import { agentAttributes, agentChange } from '../domain/agents/attributes.ts';
import type { Fields } from '../domain/attributes/definitions.ts';
import { preparePut } from '../domain/attributes/bodies.ts';
import { toBoolean } from '../domain/attributes/convert.ts';
import type { Agent, Standard } from '../model.ts';
import { badInput } from '../domain/refusals.ts';
import { getNetwork, getRouter } from '../domain/visibility.ts';
import { agentView } from '../views/agents.ts';
import { filterNames, withFields } from './listings.ts';
import { networkResource } from './networks.ts';
import { enforce, refuseBody } from './requests.ts';
import type { Resource } from './resources.ts';
import { routerResource } from './routers/routers.ts';
import type { Call, Reply } from '../../../kernel/model.ts';

/** Whether an attribute matches one of the values of a filter. */
const matches = (value: unknown, values: readonly string[]): boolean =>
  typeof value === 'boolean'
    ? values.some((text) => toBoolean(text) === value)
    : values.some((text) => text.toLowerCase() === String(value ?? '').toLowerCase());

/** GET /v2.0/agents: an empty list for a caller who may not see agents */
export async function list(call: Call): Promise<Reply> {
  const names = filterNames(call, (name) => Object.hasOwn(agentAttributes.attributes, name));
  const agents = may(call, 'get_agent', {}) ? await loadedAgents(call) : [];
  const views = agents.map((agent) => agentView(agent, call.now));
  const found = views.filter((view) =>
    names.every((name) => matches(view[name], call.query.all(name))),
  );
  return ok({ agents: found.map((view) => withFields(call, view)) });
}

/** Finds the agent of the path. @throws 404 */
const agentIn = (call: Call): Promise<Agent> => getAgent(call, call.params['id']!);

/** GET /v2.0/agents/{id} */
export async function show(call: Call): Promise<Reply> {
  const agent = await agentIn(call);
  enforce(call, ['get_agent'], {}, 'get_agent');
  return ok({ agent: withFields(call, agentView(await loadedAgent(call, agent), call.now)) });
}

/** PUT /v2.0/agents/{id} */
export async function update(call: Call): Promise<Reply> {
  const change = agentChange(preparePut(agentAttributes, call.actor, call.body));
  const agent = await agentIn(call);
  enforce(call, ['update_agent'], {}, 'get_agent');
  const changed = await changeAgent(call, agent, change);
  return ok({ agent: agentView(await loadedAgent(call, changed), call.now) });
}

/** DELETE /v2.0/agents/{id} */
export async function remove(call: Call): Promise<Reply> {
  refuseBody(call);
  const agent = await agentIn(call);
  enforce(call, ['delete_agent'], {}, 'get_agent');
  await deleteAgent(call, agent);
  return noContent();
}

/** Lists the resources that the agent of the path hosts. */
async function listHosted<T extends Standard>(
  call: Call,
  rule: string,
  { map, table, views }: Resource<T>,
): Promise<Reply> {
  enforce(call, [rule], {});
  const records = await table.among(call.db, 'id', await hostedBy(call, await agentIn(call)));
  return ok({ [map.collection]: await views(call.db, records) });
}

/** GET /v2.0/agents/{id}/dhcp-networks */
export const listNetworks = (call: Call): Promise<Reply> =>
  listHosted(call, 'get_dhcp-networks', networkResource);

/** GET /v2.0/agents/{id}/l3-routers */
export const listRouters = (call: Call): Promise<Reply> =>
  listHosted(call, 'get_l3-routers', routerResource);

/** Reads an id from the body. @throws 400 */
function idIn(call: Call, name: string): string {
  const value =
    typeof call.body === 'object' && call.body !== null ? (call.body as Fields)[name] : undefined;
  if (typeof value !== 'string') throw badInput(`${name} must be given`);
  return value;
}

/** POST /v2.0/agents/{id}/dhcp-networks */
export async function createNetwork(call: Call): Promise<Reply> {
  enforce(call, ['create_dhcp-network'], {});
  const network = await getNetwork(call, idIn(call, 'network_id'));
  await addNetwork(call, await agentIn(call), network);
  return created(null);
}

/** DELETE /v2.0/agents/{id}/dhcp-networks/{network_id} */
export async function deleteNetwork(call: Call): Promise<Reply> {
  enforce(call, ['delete_dhcp-network'], {});
  await removeNetwork(call, await agentIn(call), call.params['network_id']!);
  return noContent();
}

/** POST /v2.0/agents/{id}/l3-routers */
export async function createRouter(call: Call): Promise<Reply> {
  enforce(call, ['create_l3-router'], {});
  const router = await getRouter(call, idIn(call, 'router_id'));
  await addRouter(call, await agentIn(call), router);
  return created(null);
}

/** DELETE /v2.0/agents/{id}/l3-routers/{router_id} */
export async function deleteRouter(call: Call): Promise<Reply> {
  enforce(call, ['delete_l3-router'], {});
  const agent = await agentIn(call);
  const router = await getRouter(call, call.params['router_id']!);
  await removeRouter(call, agent, router);
  return noContent();
}

/** Lists the agents that host the network or router of the path. */
async function listHosting(call: Call, rule: string): Promise<Reply> {
  enforce(call, [rule], {});
  const agents = await agentsOf(call, call.params['id']!);
  return ok({ agents: agents.map((agent) => agentView(agent, call.now)) });
}

/** GET /v2.0/networks/{id}/dhcp-agents */
export const listOfNetwork = (call: Call): Promise<Reply> => listHosting(call, 'get_dhcp-agents');

/** GET /v2.0/routers/{id}/l3-agents */
export const listOfRouter = (call: Call): Promise<Reply> => listHosting(call, 'get_l3-agents');
