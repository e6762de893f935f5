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
    name: 'an image and its imports',
    async setup(send, name) {
      await mustSucceed(send, [
        'PUT',
        '/_emulator/image/settings',
        { stores: ['local', 'second', 'third'] },
      ]);
      const body = { name, disk_format: 'raw', container_format: 'bare' };
      const staged = await mustSucceed(send, ['POST', images, body], 'id');
      await mustSucceed(send, ['PUT', `${images}/${staged}/stage`, 'data']);
      const active = await mustSucceed(send, ['POST', images, body], 'id');
      await mustSucceed(send, ['PUT', `${images}/${active}/file`, 'data']);
      const copy = { method: { name: 'copy-image' }, stores: ['second'] };
      await mustSucceed(send, ['POST', `${images}/${active}/import`, copy]);
      await mustSucceed(send, ['GET', `${images}/${active}`]);
      return { staged, active };
    },
    writes: ({ staged, active }) => {
      const imported = (stores: readonly string[]): RequestSpec => [
        'POST',
        `${images}/${staged}/import`,
        { method: { name: 'glance-direct' }, stores },
      ];
      return {
        import: imported(['local']),
        'import to another store': imported(['second', 'third']),
        'rename the staged image': [
          'PATCH',
          `${images}/${staged}`,
          [{ op: 'replace', path: '/name', value: 'new' }],
        ],
        'delete the staged image': ['DELETE', `${images}/${staged}`],
        copy: [
          'POST',
          `${images}/${active}/import`,
          { method: { name: 'copy-image' }, stores: ['third'] },
        ],
        'copy to all stores': [
          'POST',
          `${images}/${active}/import`,
          { method: { name: 'copy-image' }, all_stores: true },
        ],
        'delete from one store': ['DELETE', `/image/v2/stores/second/${active}`],
        'delete from the other store': ['DELETE', `/image/v2/stores/local/${active}`],
        deactivate: ['POST', `${images}/${active}/actions/deactivate`],
        'cache the image': ['PUT', `/image/v2/cache/${active}`],
        'empty the cache': ['DELETE', '/image/v2/cache'],
        'delete the image': ['DELETE', `${images}/${active}`],
      };
    },
    reads: ({ staged, active }) => [
      `${images}/${staged}`,
      `${images}/${staged}/tasks`,
      `${images}/${active}`,
      `${images}/${active}/tasks`,
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
