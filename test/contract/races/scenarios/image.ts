// Concurrent writes of Image.
import { mustSucceed, type RequestSpec, type Scenario } from '../races.ts';

const images = '/image/v2/images';

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
];
