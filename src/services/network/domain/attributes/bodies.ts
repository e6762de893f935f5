// Turns request bodies into validated fields. Upstream: neutron/api/v2/base.py and
// neutron_lib/api/attributes.py.
import type { Actor } from '../../../../kernel/model.ts';
import { unset, type Fields, type AttributeMap } from './definitions.ts';
import { badInput } from '../refusals.ts';
import { networkSettings, type NetworkSettings } from '../settings.ts';

/** The resources in the body of a POST. */
export interface NewResources {
  /** True if the body holds a list, in which case the reply does too. */
  readonly bulk: boolean;
  readonly items: readonly Fields[];
}

const isMap = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the body of a POST: one resource, or a list of them. @throws 400 */
export function preparePost(
  map: AttributeMap,
  actor: Actor,
  body: unknown,
  settings = networkSettings.defaults,
): NewResources {
  const given = bodyOf(body);
  if (!Object.hasOwn(given, map.collection))
    return { bulk: false, items: [prepared(map, actor, itemOf(map, given), true, settings)] };
  if (map.bulk === false) throw badInput('Bulk operation not supported');
  const list = given[map.collection];
  if (!Array.isArray(list) || !list.length)
    throw badInput(isFalsy(list) ? 'Resources required' : 'Body contains invalid data');
  const items = (list as unknown[]).map((item) => {
    if (!isMap(item)) throw badInput('Body contains invalid data');
    const sent = Object.hasOwn(item, map.resource) ? itemOf(map, item) : item;
    return prepared(map, actor, sent, true, settings);
  });
  return { bulk: true, items };
}

/** Whether Python treats the value as false; upstream reads such a collection as an empty one. */
const isFalsy = (value: unknown): boolean =>
  Array.isArray(value) || [null, undefined, '', 0, false].some((one) => one === value);

/** Reads the body of a PUT: the fields that were sent. @throws 400 */
export function preparePut(
  map: AttributeMap,
  actor: Actor,
  body: unknown,
  settings = networkSettings.defaults,
): Fields {
  const given = bodyOf(body);
  if (!Object.hasOwn(given, map.resource) && Object.hasOwn(given, map.collection))
    throw badInput('Bulk operation not supported');
  return prepared(map, actor, itemOf(map, given), false, settings);
}

function bodyOf(body: unknown): Fields {
  if (!isMap(body)) throw badInput('Body contains invalid data');
  if (!Object.keys(body).length) throw badInput('Resource body required');
  return body;
}

function itemOf({ resource }: AttributeMap, body: Fields): Fields {
  const item = Object.hasOwn(body, resource) ? body[resource] : undefined;
  if (item === undefined || item === null)
    throw badInput(`Unable to find '${resource}' in request body`);
  if (!isMap(item)) throw badInput(`Object '${resource}' contains invalid data`);
  return item;
}

function prepared(
  map: AttributeMap,
  actor: Actor,
  sent: Fields,
  create: boolean,
  settings: NetworkSettings,
): Fields {
  const item = withProject(actor, sent, create && Object.hasOwn(map.attributes, 'project_id'));
  const extra = Object.keys(item).filter((name) => !Object.hasOwn(map.attributes, name));
  if (extra.length) throw badInput(`Unrecognized attribute(s) '${extra.join(', ')}'`);
  return converted(map, create ? withDefaults(map, item) : checkMayPut(map, item), settings);
}

/**
 * Sets both names of the project attribute.
 * @param required whether the resource belongs to the actor's project if the body names none
 * @throws 400 if the caller may not create resources for that project
 */
function withProject(actor: Actor, sent: Fields, required: boolean): Fields {
  const { project_id: project, tenant_id: tenant } = sent;
  if (project !== undefined && tenant !== undefined && project !== tenant)
    throw badInput("'project_id' and 'tenant_id' do not match");
  const owner = project ?? tenant;
  if (owner !== undefined && owner !== actor.projectId && !actor.isAdmin && !actor.isService) {
    throw badInput(
      "Specifying 'project_id' other than the authenticated project in request is not allowed " +
        'for the current user.',
    );
  }
  if (owner !== undefined) return { ...sent, project_id: owner, tenant_id: owner };
  if (!required) return sent;
  if (actor.projectId === undefined)
    throw badInput('Running without keystone AuthN requires that project_id is specified');
  return { ...sent, project_id: actor.projectId, tenant_id: actor.projectId };
}

/**
 * Returns the fields of a new resource: those that were sent, with defaults for the others.
 * @throws 400
 */
function withDefaults({ attributes }: AttributeMap, item: Fields): Fields {
  const fields: Fields = {};
  for (const [name, attribute] of Object.entries(attributes)) {
    const sent = Object.hasOwn(item, name);
    if (!attribute.post) {
      if (sent) throw badInput(`Attribute '${name}' not allowed in POST`);
    } else if (sent) fields[name] = item[name];
    else if (!('fallback' in attribute))
      throw badInput(`Failed to parse request. Required attribute '${name}' not specified`);
    else if (attribute.fallback !== unset) fields[name] = attribute.fallback;
  }
  return fields;
}

/** @throws 400 if a field is sent that cannot be changed */
function checkMayPut({ attributes }: AttributeMap, item: Fields): Fields {
  for (const [name, attribute] of Object.entries(attributes)) {
    if (Object.hasOwn(item, name) && !attribute.put)
      throw badInput(`Cannot update read-only attribute ${name}`);
  }
  return { ...item };
}

/** Converts and checks each value, in the order of the attributes. @throws 400 */
function converted(
  { attributes }: AttributeMap,
  fields: Fields,
  settings: NetworkSettings,
): Fields {
  const read: Fields = {};
  for (const [name, attribute] of Object.entries(attributes)) {
    if (!Object.hasOwn(fields, name)) continue;
    const value = attribute.convert ? attribute.convert(fields[name]) : fields[name];
    const problem = attribute.check?.(value, settings);
    if (problem !== undefined) throw badInput(`Invalid input for ${name}. Reason: ${problem}.`);
    read[name] = value;
  }
  return read;
}
