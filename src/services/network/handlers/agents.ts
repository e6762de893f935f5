// Agents, the networks on DHCP agents and the routers on L3 agents. Upstream: neutron/extensions/agent.py and those of the schedulers.
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import { may } from '../../../kernel/http/steps.ts';
import { pythonRepr } from '../../../kernel/python/wording.ts';
import { listHosts } from '../../compute/index.ts';
import { addNetwork, addRouter, agentsOf, allAgents, removeNetwork, removeRouter, subjectsOn, type Agent } from '../domain/agents.ts'; // prettier-ignore
import type { Fields, Kind } from '../domain/attributes.ts';
import { shown } from '../domain/attributes.ts';
import { preparePut } from '../domain/bodies.ts';
import { orNull, text } from '../domain/checks.ts';
import { getNetwork, getRouter } from '../domain/common.ts';
import { toBoolean } from '../domain/convert.ts';
import type { Standard } from '../domain/records.ts';
import { absent, badInput } from '../domain/refusals.ts';
import { writeAgentState } from '../store/agents.ts';
import { findAll, list as listRows, type Table } from '../store/table.ts';
import { networkTable, routerTable } from '../store/tables.ts';
import { agentView } from '../views/agents.ts';
import { showNetworks, showRouters, type Show, type View } from '../views/things.ts';
import { fieldsOf } from './listings.ts';
import { enforce, workOf } from './requests.ts';
import type { Call, Reply } from '../../../kernel/model.ts';

const kind: Kind = {
  noun: 'agent',
  plural: 'agents',
  attributes: {
    ...Object.fromEntries(
      ['id', 'agent_type', 'binary', 'topic', 'host', 'alive', 'availability_zone'].map((name) => [name, shown]),
    ),
    admin_state_up: { ...shown, put: true, convert: toBoolean },
    description: { ...shown, put: true, check: orNull(text(255)) },
  },
};

/** The agents as they are told; they run since the Network's first thing was made. */
async function told(call: Call, wanted?: (agent: Agent) => boolean): Promise<View[]> {
  const hosts = await listHosts(call);
  const [first] = await listRows(call.db, networkTable, { sorts: [{ key: 'created_at', ascending: true }], limit: 1 });
  const agents = (await allAgents(call.db, hosts.map(({ name }) => name))).filter(wanted ?? (() => true)); // prettier-ignore
  const views: View[] = [];
  for (const agent of agents) {
    const load = agent.type === 'Open vSwitch agent' ? 0 : (await subjectsOn(call.db, agent.id)).length;
    views.push(agentView(agent, first?.created_at ?? call.now, call.now, load));
  }
  return views;
}

const cut = (call: Call, view: View): View => {
  const fields = fieldsOf(call);
  return fields ? Object.fromEntries(Object.entries(view).filter(([name]) => fields.includes(name))) : view;
};

/** @throws 404 */
async function agentOf(call: Call): Promise<Agent> {
  const id = call.params['id']!;
  const hosts = await listHosts(call);
  const agent = (await allAgents(call.db, hosts.map(({ name }) => name))).find((one) => one.id === id); // prettier-ignore
  if (!agent) throw absent('AgentNotFound', `Agent ${id} could not be found.`);
  return agent;
}

const isAsked = (value: unknown, asked: readonly string[]): boolean =>
  typeof value === 'boolean'
    ? asked.some((text) => toBoolean(text) === value)
    : asked.some((text) => text.toLowerCase() === String(value ?? '').toLowerCase());

/** GET /v2.0/agents: none for who may not see them */
export async function list(call: Call): Promise<Reply> {
  const names = call.query.names().filter((name) => !['fields', 'sort_key', 'sort_dir', 'limit', 'marker', 'page_reverse'].includes(name)); // prettier-ignore
  const unknown = names.filter((name) => !Object.hasOwn(kind.attributes, name));
  if (unknown.length) throw badInput(`${pythonRepr(unknown)} is invalid attribute for filtering`);
  const views = may(call, 'get_agent', {}) ? await told(call) : [];
  const found = views.filter((view) => names.every((name) => isAsked(view[name], call.query.all(name))));
  return ok({ agents: found.map((view) => cut(call, view)) });
}

/** GET /v2.0/agents/{id} */
export async function show(call: Call): Promise<Reply> {
  const agent = await agentOf(call);
  enforce(call, ['get_agent'], {}, 'get_agent');
  const [view] = await told(call, ({ id }) => id === agent.id);
  return ok({ agent: cut(call, view!) });
}

/** PUT /v2.0/agents/{id} */
export async function update(call: Call): Promise<Reply> {
  const fields: Fields = preparePut(kind, workOf(call).actor, call.body);
  const agent = await agentOf(call);
  enforce(call, ['update_agent'], {}, 'get_agent');
  const { admin_state_up: up = agent.up, description = agent.description } = fields as { admin_state_up?: boolean; description?: string | null }; // prettier-ignore
  await writeAgentState(call.db, { id: agent.id, up, description });
  const [view] = await told(call, ({ id }) => id === agent.id);
  return ok({ agent: view });
}

async function listSubjects<T extends Standard>(
  call: Call,
  rule: string,
  plural: string,
  table: Table<T>,
  show: Show<T>,
): Promise<Reply> {
  enforce(call, [rule], {});
  const agent = await agentOf(call);
  const things = await findAll(call.db, table, await subjectsOn(call.db, agent.id));
  return ok({ [plural]: await show(call.db, things) });
}

/** GET /v2.0/agents/{id}/dhcp-networks */
export const listNetworks = (call: Call): Promise<Reply> =>
  listSubjects(call, 'get_dhcp-networks', 'networks', networkTable, showNetworks);

/** GET /v2.0/agents/{id}/l3-routers */
export const listRouters = (call: Call): Promise<Reply> =>
  listSubjects(call, 'get_l3-routers', 'routers', routerTable, showRouters);

/** The id that a body names. @throws 400 */
function idIn(call: Call, name: string): string {
  const value = typeof call.body === 'object' && call.body !== null ? (call.body as Fields)[name] : undefined;
  if (typeof value !== 'string') throw badInput(`${name} must be given`);
  return value;
}

/** POST /v2.0/agents/{id}/dhcp-networks */
export async function createNetwork(call: Call): Promise<Reply> {
  enforce(call, ['create_dhcp-network'], {});
  const network = await getNetwork(workOf(call), idIn(call, 'network_id'));
  await addNetwork(call.db, await agentOf(call), network.id);
  return created(null);
}

/** DELETE /v2.0/agents/{id}/dhcp-networks/{network_id} */
export async function deleteNetwork(call: Call): Promise<Reply> {
  enforce(call, ['delete_dhcp-network'], {});
  await removeNetwork(call.db, await agentOf(call), call.params['network_id']!);
  return noContent();
}

/** POST /v2.0/agents/{id}/l3-routers */
export async function createRouter(call: Call): Promise<Reply> {
  enforce(call, ['create_l3-router'], {});
  const router = await getRouter(workOf(call), idIn(call, 'router_id'));
  await addRouter(call.db, await agentOf(call), router.id);
  return created(null);
}

/** DELETE /v2.0/agents/{id}/l3-routers/{router_id} */
export async function deleteRouter(call: Call): Promise<Reply> {
  enforce(call, ['delete_l3-router'], {});
  const agent = await agentOf(call);
  await removeRouter(call.db, agent, (await getRouter(workOf(call), call.params['router_id']!)).id);
  return noContent();
}

async function listAgents(call: Call, rule: string): Promise<Reply> {
  enforce(call, [rule], {});
  const ids = await agentsOf(call.db, call.params['id']!);
  return ok({ agents: await told(call, ({ id }) => ids.includes(id)) });
}

/** GET /v2.0/networks/{id}/dhcp-agents */
export const listOfNetwork = (call: Call): Promise<Reply> => listAgents(call, 'get_dhcp-agents');

/** GET /v2.0/routers/{id}/l3-agents */
export const listOfRouter = (call: Call): Promise<Reply> => listAgents(call, 'get_l3-agents');
