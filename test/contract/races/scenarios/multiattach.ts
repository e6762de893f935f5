// Concurrent writes to volumes that several servers may have attached at the same time.
import { cirrosId } from '../../../../src/services/image/index.ts';
import { mustSucceed, type RequestSpec, type Scenario, type Send } from '../races.ts';

const servers = '/compute/v2.1/servers';
const volumes = '/volume/v3/volumes';

const attach = (server: string | undefined, volumeId: string | undefined): RequestSpec => [
  'POST',
  `${servers}/${server}/os-volume_attachments`,
  { volumeAttachment: { volumeId } },
];

/** Creates a server and waits until it is active. */
async function active(send: Send, name: string): Promise<string> {
  const body = { server: { name, flavorRef: '42', imageRef: cirrosId, networks: 'none' } };
  const id = await mustSucceed(send, ['POST', servers, body], 'server.id');
  await mustSucceed(send, ['GET', `${servers}/${id}`]);
  return id;
}

export const multiattachScenarios: readonly Scenario[] = [
  {
    name: 'a volume of two servers',
    async setup(send, name) {
      const type = {
        name: `type-${name}`,
        extra_specs: { multiattach: '<is> True' },
      };
      await mustSucceed(send, ['POST', '/volume/v3/types', { volume_type: type }]);
      const volume = (): Promise<string> =>
        mustSucceed(
          send,
          ['POST', volumes, { volume: { size: 1, volume_type: `type-${name}` } }],
          'volume.id',
        );
      const [free, used] = [await volume(), await volume()];
      const [server, other] = [await active(send, `s-${name}`), await active(send, `o-${name}`)];
      await mustSucceed(send, attach(server, used));
      await mustSucceed(send, ['GET', `${servers}/${server}`]);
      return { free, used, server, other };
    },
    writes: ({ free, used, server, other }) => ({
      'attach the free volume': attach(server, free),
      'attach the free volume to the other server': attach(other, free),
      'attach the used volume to the other server': attach(other, used),
      'detach the used volume': ['DELETE', `${servers}/${server}/os-volume_attachments/${used}`],
      'delete the free volume': ['DELETE', `${volumes}/${free}`],
      'delete the used volume': ['DELETE', `${volumes}/${used}`],
      'delete the server': ['DELETE', `${servers}/${server}`],
      'delete the other server': ['DELETE', `${servers}/${other}`],
      'reserve the free volume': ['POST', `${volumes}/${free}/action`, { 'os-reserve': {} }],
    }),
    reads: ({ free, used, server, other }) => [
      ...[server, other].flatMap((one) => [
        `${servers}/${one}`,
        `${servers}/${one}/os-volume_attachments`,
      ]),
      ...[free, used].flatMap((one) => [
        `${volumes}/${one}`,
        `/volume/v3/attachments/detail?all_tenants=1&volume_id=${one}`,
      ]),
    ],
    cleanUp: async (send, { other }) => void (await send('DELETE', `${servers}/${other}`)),
  },
];
