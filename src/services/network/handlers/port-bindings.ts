// The bindings of a port: /v2.0/ports/{id}/bindings. Upstream:
// neutron/extensions/portbindings_extended.py.
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import { may } from '../../../kernel/http/steps.ts';
import { preparePost, preparePut } from '../domain/attributes/bodies.ts';
import { bindingAttributes } from '../domain/ports/binding-attributes.ts';
import {
  activateBinding,
  bindingsOf,
  createBinding,
  deleteBinding,
  getBindablePort,
  getBinding,
  updateBinding,
} from '../domain/ports/bindings.ts';
import { badInput } from '../domain/refusals.ts';
import type { Port, PortBinding } from '../model.ts';
import { portTable } from '../store/tables.ts';
import { bindingView } from '../views/port-bindings.ts';
import { filterNames, pagedReply, pageOf, sortsOf, withFields } from './listings.ts';
import { enforce, refuseBody } from './requests.ts';
import type { Call, Reply } from '../../../kernel/model.ts';

const showRule = 'get_port_binding';

const portIn = (call: Call): Promise<Port> => getBindablePort(call, call.params['id']!);

/** Finds the port and the binding of the path. @throws 400, 404 */
async function bindingIn(call: Call): Promise<{ port: Port; binding: PortBinding }> {
  const port = await portIn(call);
  return { port, binding: await getBinding(call, port, call.params['host']!) };
}

/** GET /v2.0/ports/{id}/bindings: returns an empty list if the policy forbids the caller to list them */
export async function list(call: Call): Promise<Reply> {
  const { attributes } = bindingAttributes;
  const names = filterNames(call, (name) => attributes[name]?.filter === true);
  sortsOf(call, bindingAttributes, portTable); // bindings cannot be sorted
  const page = await pageOf(call);
  const views = (await bindingsOf(call, await portIn(call))).map(bindingView);
  const found = views.filter((view) =>
    names.every((name) => call.query.all(name).includes(String(view[name]))),
  );
  const allowed = may(call, showRule, {}) ? found : [];
  return pagedReply(call, 'bindings', allowed, { field: 'host', page });
}

/** GET /v2.0/ports/{id}/bindings/{host} */
export async function show(call: Call): Promise<Reply> {
  const { binding } = await bindingIn(call);
  enforce(call, [showRule], {}, showRule);
  return ok({ binding: withFields(call, bindingView(binding)) });
}

/** POST /v2.0/ports/{id}/bindings */
export async function create(call: Call): Promise<Reply> {
  const { bulk, items } = preparePost(bindingAttributes, call.actor, call.body);
  enforce(call, ['create_port_binding'], {});
  if (bulk) throw badInput('Bulk operation not supported');
  const binding = await createBinding(call, await portIn(call), items[0]!);
  return created({ binding: bindingView(binding) });
}

/** PUT /v2.0/ports/{id}/bindings/{host} */
export async function update(call: Call): Promise<Reply> {
  const fields = preparePut(bindingAttributes, call.actor, call.body);
  const { port, binding } = await bindingIn(call);
  enforce(call, ['update_port_binding'], {}, showRule);
  return ok({ binding: bindingView(await updateBinding(call, port, binding, fields)) });
}

/** PUT /v2.0/ports/{id}/bindings/{host}/activate: the reply has no envelope */
export async function activate(call: Call): Promise<Reply> {
  const port = await portIn(call);
  enforce(call, ['activate'], {}, showRule);
  return ok(bindingView(await activateBinding(call, port, call.params['host']!)));
}

/** DELETE /v2.0/ports/{id}/bindings/{host} */
export async function remove(call: Call): Promise<Reply> {
  refuseBody(call);
  const { port, binding } = await bindingIn(call);
  enforce(call, ['delete_port_binding'], {}, showRule);
  await deleteBinding(call, port, binding);
  return noContent();
}
