// Renders metadata definitions. Fields without a value are left out. Upstream: WSME's models in
// glance/api/v2/model.
import { isoSeconds } from '../../../kernel/clock.ts';
import type {
  Association,
  MetadefObject,
  MetadefProperty,
  MetadefTag,
  Namespace,
  PropertyTypes,
  ResourceType,
} from '../model.ts';

/** Leaves out the fields without a value. */
const given = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );

const times = ({
  createdAt,
  updatedAt,
}: Pick<ResourceType, 'createdAt' | 'updatedAt'>): Readonly<Record<string, unknown>> => ({
  created_at: isoSeconds(createdAt),
  updated_at: updatedAt === null ? null : isoSeconds(updatedAt),
});

export const namespacePath = (name: string): string => `/v2/metadefs/namespaces/${name}`;

/** What a namespace contains, as far as a reply shows it. */
export interface ShownContents {
  readonly resource_type_associations?: readonly object[] | undefined;
  readonly properties?: object | undefined;
  readonly objects?: readonly object[] | undefined;
  readonly tags?: readonly object[] | undefined;
}

export const namespaceView = (one: Namespace, contents: ShownContents = {}): object =>
  given({
    namespace: one.namespace,
    display_name: one.displayName,
    description: one.description,
    visibility: one.visibility,
    protected: one.isProtected,
    owner: one.owner,
    ...times(one),
    resource_type_associations: contents.resource_type_associations,
    properties: contents.properties,
    objects: contents.objects,
    tags: contents.tags,
    self: namespacePath(one.namespace),
    schema: '/v2/schemas/metadefs/namespace',
  });

/** Renders an object; `required` and `properties` are left out of replies to a write without them. */
export const objectView = (
  namespace: string,
  {
    name,
    required,
    description,
    properties,
    ...rest
  }: Omit<MetadefObject, 'required' | 'properties'> & {
    readonly required?: readonly string[] | undefined;
    readonly properties?: PropertyTypes | undefined;
  },
): object =>
  given({
    name,
    required,
    description,
    properties,
    ...times(rest),
    self: `${namespacePath(namespace)}/objects/${name}`,
    schema: '/v2/schemas/metadefs/object',
  });

/** Renders properties by their names. */
export const propertiesView = (
  properties: readonly Pick<MetadefProperty, 'name' | 'definition'>[],
): PropertyTypes =>
  Object.fromEntries(properties.map(({ name, definition }) => [name, definition]));

/** Renders a property on its own, with its name. */
export const propertyView = ({
  name,
  definition,
}: Pick<MetadefProperty, 'name' | 'definition'>): object => ({ name, ...definition });

export const associationView = ({ name, prefix, propertiesTarget, ...rest }: Association): object =>
  given({ name, prefix, properties_target: propertiesTarget, ...times(rest) });

export const resourceTypeView = ({ name, ...rest }: ResourceType): object =>
  given({ name, ...times(rest) });

export const tagView = ({ name, ...rest }: MetadefTag): object => given({ name, ...times(rest) });
