// Renders the schemas of images and members that clients can read, from the contract.
import { isObject, type JsonObject } from '../../../kernel/json.ts';
import { project } from '../../../kernel/contract/projection.ts';
import { disallowed, readOnly } from '../domain/names.ts';
import type { ImageCall } from '../call.ts';

function propertiesOf(call: ImageCall, component: string): JsonObject {
  const document = call.service.contract.load();
  const node = project(
    document,
    { $ref: `#/components/schemas/${component}` },
    call.version.name,
  ) as JsonObject;
  return node['properties'] as JsonObject;
}

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

export const imagesSchema = (call: ImageCall): object => ({
  name: 'images',
  properties: {
    images: { type: 'array', items: imageSchema(call) },
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

export const membersSchema = (call: ImageCall): object => ({
  name: 'members',
  properties: { members: { type: 'array', items: memberSchema(call) }, schema: { type: 'string' } },
  links: [{ rel: 'describedby', href: '{schema}' }],
});
