// Concurrent writes of Image.
import { mustSucceed, type RequestSpec, type Scenario } from '../races.ts';

const images = '/image/v2/images';
const metadefs = '/image/v2/metadefs/namespaces';

export const imageScenarios: readonly Scenario[] = [
  {
    name: 'an image, its members and its tags',
    async setup(send, name) {
      const body = {
        name: `i-${name}`,
        disk_format: 'raw',
        container_format: 'bare',
        visibility: 'shared',
      };
      const image = await mustSucceed(send, ['POST', images, body], 'id');
      await mustSucceed(send, ['PUT', `${images}/${image}/tags/old`]);
      return { image };
    },
    writes: ({ image }, name) => {
      const at = `${images}/${image}`;
      const patch = (op: string, path: string, value?: unknown): RequestSpec => [
        'PATCH',
        at,
        [{ op, path, value }],
      ];
      return {
        rename: patch('replace', '/name', `renamed-${name}`),
        'add a property': patch('add', '/colour', 'red'),
        'add another property': patch('add', '/shape', 'round'),
        'make it public': patch('replace', '/visibility', 'public'),
        'protect it': patch('replace', '/protected', true),
        'replace the tags': patch('replace', '/tags', ['new']),
        'add a tag': ['PUT', `${at}/tags/x`],
        'remove a tag': ['DELETE', `${at}/tags/old`],
        'add a member': ['POST', `${at}/members`, { member: `m-${name}` }],
        'add another member': ['POST', `${at}/members`, { member: `n-${name}` }],
        'remove the member': ['DELETE', `${at}/members/m-${name}`],
        upload: ['PUT', `${at}/file`, 'data'],
        'upload other data': ['PUT', `${at}/file`, 'other data'],
        deactivate: ['POST', `${at}/actions/deactivate`],
        delete: ['DELETE', at],
      };
    },
    reads: ({ image }) => [
      `${images}/${image}`,
      `${images}/${image}/members`,
      `${images}/${image}/file`,
    ],
  },
  {
    name: 'a namespace of metadata definitions and its contents',
    async setup(send, name) {
      const body = {
        namespace: name,
        resource_type_associations: [{ name: `Old::${name}` }],
        properties: { old: { title: 'Old', type: 'string' } },
        objects: [{ name: 'old' }],
        tags: [{ name: 'old' }],
      };
      await mustSucceed(send, ['POST', metadefs, body], 'namespace');
      return { namespace: name };
    },
    writes: ({ namespace }, name) => {
      const at = `${metadefs}/${namespace}`;
      const property = { title: 'Old', type: 'string' };
      return {
        'make it public': ['PUT', at, { namespace: name, visibility: 'public' }],
        'protect it': ['PUT', at, { namespace: name, protected: true }],
        'create it again': ['POST', metadefs, { namespace: name }],
        'add a property': ['POST', `${at}/properties`, { name: 'new', ...property }],
        'rename the property': ['PUT', `${at}/properties/old`, { name: 'new', ...property }],
        'remove the property': ['DELETE', `${at}/properties/old`],
        'add an object': ['POST', `${at}/objects`, { name: 'new' }],
        'rename the object': ['PUT', `${at}/objects/old`, { name: 'new' }],
        'remove all objects': ['DELETE', `${at}/objects`],
        'add a tag': ['POST', `${at}/tags/new`],
        'replace the tags': ['POST', `${at}/tags`, { tags: [{ name: 'new' }, { name: 'x' }] }],
        'rename the tag': ['PUT', `${at}/tags/old`, { name: 'new' }],
        'associate a type': ['POST', `${at}/resource_types`, { name: `New::${name}` }],
        'end the association': ['DELETE', `${at}/resource_types/Old::${name}`],
        delete: ['DELETE', at],
      };
    },
    reads: ({ namespace }) => [`${metadefs}/${namespace}`],
  },
];
