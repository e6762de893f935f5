// Bodies: from what was sent to the fields of a thing. Upstream: neutron/api/v2/base.py and neutron_lib/api/attributes.py.
import type { Actor } from '../actor.ts';
import { unset, type Fields, type Kind } from './definitions.ts';
import { badInput } from '../refusals.ts';

export interface Prepared {
  readonly bulk: boolean;
  readonly items: readonly Fields[];
}

const isMap = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The things of a body for a POST: one, or several at a time. @throws 400 */
export function preparePost(kind: Kind, actor: Actor, body: unknown): Prepared {
  const given = bodyOf(body);
  if (!Object.hasOwn(given, kind.plural)) return { bulk: false, items: [prepared(kind, actor, itemOf(kind, given), true)] };
  const list = given[kind.plural];
  if (!Array.isArray(list) || !list.length) {
    throw badInput(list === null || list === undefined || Array.isArray(list) || list === '' || list === 0 || list === false ? 'Resources required' : 'Body contains invalid data'); // prettier-ignore
  }
  const items = (list as unknown[]).map((item) => {
    if (!isMap(item)) throw badInput('Body contains invalid data');
    return prepared(kind, actor, Object.hasOwn(item, kind.noun) ? itemOf(kind, item) : item, true);
  });
  return { bulk: true, items };
}

/** The fields of a body for a PUT: only those that were sent. @throws 400 */
export function preparePut(kind: Kind, actor: Actor, body: unknown): Fields {
  const given = bodyOf(body);
  if (!Object.hasOwn(given, kind.noun) && Object.hasOwn(given, kind.plural)) throw badInput('Bulk operation not supported');
  return prepared(kind, actor, itemOf(kind, given), false);
}

function bodyOf(body: unknown): Fields {
  if (!isMap(body)) throw badInput('Body contains invalid data');
  if (!Object.keys(body).length) throw badInput('Resource body required');
  return body;
}

function itemOf({ noun }: Kind, body: Fields): Fields {
  const item = Object.hasOwn(body, noun) ? body[noun] : undefined;
  if (item === undefined || item === null) throw badInput(`Unable to find '${noun}' in request body`);
  if (!isMap(item)) throw badInput(`Object '${noun}' contains invalid data`);
  return item;
}

function prepared(kind: Kind, actor: Actor, sent: Fields, create: boolean): Fields {
  const item = withProject(actor, sent, create);
  const extra = Object.keys(item).filter((name) => !Object.hasOwn(kind.attributes, name));
  if (extra.length) throw badInput(`Unrecognized attribute(s) '${extra.join(', ')}'`);
  const fields = create ? filled(kind, item) : allowed(kind, item);
  return read(kind, fields);
}

/** Both names of the project, and whether the caller may give things to it. */
function withProject(actor: Actor, sent: Fields, create: boolean): Fields {
  const { project_id: project, tenant_id: tenant } = sent;
  if (project !== undefined && tenant !== undefined && project !== tenant)
    throw badInput("'project_id' and 'tenant_id' do not match");
  const owner = project ?? tenant;
  if (owner !== undefined && owner !== actor.projectId && !actor.isAdmin && !actor.isService) {
    throw badInput(
      "Specifying 'project_id' other than the authenticated project in request is not allowed for the current user.",
    );
  }
  if (owner !== undefined) return { ...sent, project_id: owner, tenant_id: owner };
  if (!create) return sent;
  if (actor.projectId === undefined) throw badInput('Running without keystone AuthN requires that project_id is specified');
  return { ...sent, project_id: actor.projectId, tenant_id: actor.projectId };
}

function filled({ attributes }: Kind, item: Fields): Fields {
  const fields: Fields = {};
  for (const [name, attribute] of Object.entries(attributes)) {
    const sent = Object.hasOwn(item, name);
    if (!attribute.post) {
      if (sent) throw badInput(`Attribute '${name}' not allowed in POST`);
    } else if (sent) fields[name] = item[name];
    else if (!('fallback' in attribute)) throw badInput(`Failed to parse request. Required attribute '${name}' not specified`);
    else if (attribute.fallback !== unset) fields[name] = attribute.fallback;
  }
  return fields;
}

function allowed({ attributes }: Kind, item: Fields): Fields {
  for (const [name, attribute] of Object.entries(attributes)) {
    if (Object.hasOwn(item, name) && !attribute.put) throw badInput(`Cannot update read-only attribute ${name}`);
  }
  return { ...item };
}

/** Each value read and checked, in the order of the attributes. */
function read({ attributes }: Kind, fields: Fields): Fields {
  const done: Fields = {};
  for (const [name, attribute] of Object.entries(attributes)) {
    if (!Object.hasOwn(fields, name)) continue;
    const value = attribute.convert ? attribute.convert(fields[name]) : fields[name];
    const wrong = attribute.check?.(value);
    if (wrong !== undefined) throw badInput(`Invalid input for ${name}. Reason: ${wrong}.`);
    done[name] = value;
  }
  return done;
}
