// Renders the schemas that clients can read, from the contract.
import { isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { project } from '../../../kernel/contract/projection.ts';
import { disallowed, readOnly } from '../domain/names.ts';
import type { ImageCall } from '../call.ts';

/** A component of the contract, with references inlined. */
const componentOf = (call: ImageCall, component: string): JsonObject =>
  project(
    call.service.contract.load(),
    { $ref: `#/components/schemas/${component}` },
    call.version.name,
  ) as JsonObject;

const propertiesOf = (call: ImageCall, component: string): JsonObject =>
  componentOf(call, component)['properties'] as JsonObject;

/** The schema of an image. Any other property is a string. */
export function imageSchema(call: ImageCall): object {
  const properties = Object.entries(propertiesOf(call, 'Image')).map(([name, schema]) => [
    name,
    isObject(schema) && name !== 'id' && !isWritable(name) ? { ...schema, readOnly: true } : schema,
  ]);
  return {
    name: 'image',
    properties: Object.fromEntries(properties) as JsonObject,
    additionalProperties: { type: 'string' },
    links: [
      { rel: 'self', href: '{self}' },
      { rel: 'enclosure', href: '{file}' },
      { rel: 'describedby', href: '{schema}' },
    ],
  };
}

const isWritable = (name: string): boolean =>
  !readOnly.includes(name) && !disallowed.includes(name);

export const memberSchema = (call: ImageCall): object => ({
  name: 'member',
  properties: { ...propertiesOf(call, 'Member'), schema: { readOnly: true, type: 'string' } },
});

export const imagesSchema = (call: ImageCall): object =>
  pagesSchema('images', { type: 'array', items: imageSchema(call) });

export const membersSchema = (call: ImageCall): object => ({
  name: 'members',
  properties: { members: { type: 'array', items: memberSchema(call) }, schema: { type: 'string' } },
  links: [{ rel: 'describedby', href: '{schema}' }],
});

/** The schema of a list with pages. */
const pagesSchema = (name: string, items: object): object => ({
  name,
  properties: {
    [name]: items,
    first: { type: 'string' },
    next: { type: 'string' },
    schema: { type: 'string' },
  },
  links: [
    { rel: 'first', href: '{first}' },
    { rel: 'next', href: '{next}' },
    { rel: 'describedby', href: '{schema}' },
  ],
});

export const taskSchema = (call: ImageCall): object => ({
  name: 'task',
  properties: propertiesOf(call, 'TaskView'),
  additionalProperties: false,
});

/** The schema of a list of tasks, which do not show everything. */
export function tasksSchema(call: ImageCall): object {
  const properties = propertiesOf(call, 'TaskSummary');
  return pagesSchema('tasks', {
    type: 'array',
    items: { name: 'task', properties, additionalProperties: false },
  });
}

/** The components of metadata definitions, and the fields that only the service sets. */
const metadefs = {
  namespace: { component: 'Namespace', readOnly: ['created_at', 'updated_at', 'schema', 'self'] },
  object: { component: 'MetadefObject', readOnly: ['schema', 'self', 'created_at', 'updated_at'] },
  property: { component: 'NamedPropertyType', readOnly: [] },
  resource_type_association: {
    component: 'Association',
    readOnly: ['created_at', 'updated_at'],
  },
  tag: { component: 'MetadefTag', readOnly: ['created_at', 'updated_at'] },
} as const;

export type MetadefNoun = keyof typeof metadefs;

/**
 * The schema with any further properties in the objects inside of it: clients also validate replies
 * against it, which have more than a request may have.
 */
function openInside(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map((item) => openInside(item as Json));
  if (!isObject(schema)) return schema;
  const { additionalProperties, ...rest } = schema;
  const opened = Object.entries(rest).map(([name, value]) => [name, openInside(value)]);
  return {
    ...(Object.fromEntries(opened) as JsonObject),
    ...(isObject(additionalProperties)
      ? { additionalProperties: openInside(additionalProperties) }
      : {}),
  };
}

/** The schema of a metadata definition. */
export function metadefSchema(call: ImageCall, noun: MetadefNoun): object {
  const { component, readOnly: fields } = metadefs[noun];
  const { properties, required } = componentOf(call, component);
  const added = fields.map((name) => [name, { readOnly: true, type: 'string' }] as const);
  return {
    name: noun,
    properties: { ...(openInside(properties!) as JsonObject), ...Object.fromEntries(added) },
    additionalProperties: false,
    required,
  };
}

/** The schema of a list of metadata definitions. Properties are an object, by their names. */
export function metadefsSchema(call: ImageCall, noun: MetadefNoun, name: string): object {
  const item = metadefSchema(call, noun);
  return pagesSchema(
    name,
    noun === 'property'
      ? { type: 'object', additionalProperties: { ...item, required: ['title', 'type'] } }
      : { type: 'array', items: item },
  );
}
