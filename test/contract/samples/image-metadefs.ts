// Sample requests about the metadata definitions of Image.
import type { Client } from '../../support/raw.ts';
import type { Sample, Samples } from './model.ts';

const property = { title: 'Colour', type: 'string', enum: ['red'], default: 'red' };

export function metadefSamples(client: Client): Samples {
  let count = 0;
  const body = (): Record<string, unknown> => ({
    namespace: `Paint ${++count}`,
    display_name: 'Paint',
    description: 'What paint has.',
    visibility: 'private',
    protected: false,
    owner: 'admin',
    resource_type_associations: [
      { name: 'OS::Nova::Flavor', prefix: 'paint:', properties_target: 'extra' },
    ],
    properties: { colour: property },
    objects: [
      { name: 'tin', description: 'One.', required: ['size'], properties: { size: property } },
    ],
    tags: [{ name: 'wet' }],
  });
  const namespace = async (more: Record<string, string> = {}): Promise<Sample> => {
    const fields = body();
    const { status, text } = await client.ask('image', 'POST', '/image/v2/metadefs/namespaces', {
      body: fields,
    });
    if (status !== 201) throw new Error(text);
    return { params: { namespace: String(fields['namespace']), ...more } };
  };
  const withBody = async (
    sent: Record<string, unknown>,
    more: Record<string, string> = {},
  ): Promise<Sample> => ({ ...(await namespace(more)), body: sent });
  const tags = { tags: [{ name: 'dry' }] };
  const object = {
    name: 'brush',
    description: 'One.',
    required: ['size'],
    properties: { size: property },
  };
  return {
    'schemas:show_metadef_namespace': () => ({}),
    'schemas:show_metadef_namespaces': () => ({}),
    'schemas:show_metadef_object': () => ({}),
    'schemas:show_metadef_objects': () => ({}),
    'schemas:show_metadef_property': () => ({}),
    'schemas:show_metadef_properties': () => ({}),
    'schemas:show_metadef_resource_type': () => ({}),
    'schemas:show_metadef_resource_types': () => ({}),
    'schemas:show_metadef_tag': () => ({}),
    'schemas:show_metadef_tags': () => ({}),
    'metadef_resource_types:list': () => ({}),
    'metadef_namespaces:list': () => ({ query: 'limit=2&visibility=private' }),
    'metadef_namespaces:create': () => ({ body: body() }),
    'metadef_namespaces:show': () => namespace(),
    'metadef_namespaces:update': () => withBody(body()),
    'metadef_namespaces:delete': () => namespace(),
    'metadef_objects:list': () => namespace(),
    'metadef_objects:create': () => withBody(object),
    'metadef_objects:delete_all': () => namespace(),
    'metadef_objects:show': () => namespace({ object_name: 'tin' }),
    'metadef_objects:update': () => withBody(object, { object_name: 'tin' }),
    'metadef_objects:delete': () => namespace({ object_name: 'tin' }),
    'metadef_properties:list': () => namespace(),
    'metadef_properties:create': () => withBody({ name: 'shine', ...property }),
    'metadef_properties:delete_all': () => namespace(),
    'metadef_properties:show': () => namespace({ property_name: 'colour' }),
    'metadef_properties:update': () =>
      withBody({ name: 'shine', ...property }, { property_name: 'colour' }),
    'metadef_properties:delete': () => namespace({ property_name: 'colour' }),
    'metadef_tags:list': () => namespace(),
    'metadef_tags:replace': () => withBody(tags),
    'metadef_tags:delete_all': () => namespace(),
    'metadef_tags:show': () => namespace({ tag_name: 'wet' }),
    'metadef_tags:create': () => namespace({ tag_name: 'dry' }),
    'metadef_tags:update': () => withBody({ name: 'dry' }, { tag_name: 'wet' }),
    'metadef_tags:delete': () => namespace({ tag_name: 'wet' }),
    'metadef_associations:list': () => namespace(),
    'metadef_associations:create': () =>
      withBody({ name: 'OS::Glance::Image', prefix: 'paint_', properties_target: 'image' }),
    'metadef_associations:delete': () => namespace({ resource_type: 'OS::Nova::Flavor' }),
  };
}
