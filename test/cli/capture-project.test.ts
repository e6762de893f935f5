// cumulet capture without the rights of an administrator: the copy has what the project shows.
import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmulator, type Emulator } from '../support/processes.ts';
import { captureInto, comparable, signIn, writeClouds, type Json } from './captures.ts';

/** Lists that a member of a project may read. */
const lists = [
  '/image/v2/images',
  '/compute/v2.1/flavors/detail',
  '/compute/v2.1/os-server-groups',
  '/network/v2.0/subnets',
  '/network/v2.0/ports',
  '/network/v2.0/security-groups',
  '/volume/v3/PROJECT/volumes/detail',
];

describe('cumulet capture of what a project shows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-capture-'));
  const flags = ['--database', 'memory:'];
  let original: Emulator;

  before(async () => {
    original = await startEmulator(flags);
    writeClouds(folder, original.origin, 'demo');
  });
  after(async () => {
    await original.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('copies it, and lists what the user may not read', async () => {
    const ask = await signIn(original.origin, 'demo');
    const { images } = await ask('GET', '/image/v2/images?name=cirros');
    const { networks } = await ask('GET', '/network/v2.0/networks?name=private');
    await ask('POST', '/compute/v2.1/os-keypairs', { keypair: { name: 'laptop' } });
    await ask('POST', '/compute/v2.1/os-server-groups', {
      server_group: { name: 'apart', policy: 'anti-affinity' },
    });
    const { server } = await ask('POST', '/compute/v2.1/servers', {
      server: {
        name: 'web',
        flavorRef: '1',
        imageRef: images[0].id,
        networks: [{ uuid: networks[0].id }],
      },
    });
    const { projects } = await ask('GET', '/identity/v3/auth/projects');
    const [{ id: project }] = projects.filter(({ name }: Json) => name === 'demo');
    const volume = { name: 'data', size: 1 };
    await ask('POST', `/volume/v3/${project}/volumes`, { volume });
    const { server: own } = await ask('GET', `/compute/v2.1/servers/${server.id}`);

    const { code, out, err } = await captureInto(folder, 'mine');
    expect(code, err).to.equal(0);
    expect(out).to.match(/ 0 hosts, .* 1 server group, 1 server, 1 key pair,/);
    expect(out).to.match(/^Left out, because .*placement \/resource_providers, /m);

    const seed = join(folder, 'mine.ndjson');
    const copy = await startEmulator([...flags, '--seed', seed]);
    try {
      const askCopy = await signIn(copy.origin, 'admin', 'demo');
      for (const list of lists) {
        const path = list.replace('PROJECT', project);
        const [shown, copied] = [await ask('GET', path), await askCopy('GET', path)];
        const ids = (reply: Json): string[] =>
          Object.values(comparable(reply))
            .flat()
            .map(({ id }: Json) => String(id));
        expect(ids(copied), path).to.include.members(ids(shown));
      }
      const { server: same } = await askCopy('GET', `/compute/v2.1/servers/${server.id}`);
      for (const field of ['name', 'status', 'addresses', 'flavor', 'image', 'user_id'])
        expect(comparable(same)[field], field).to.deep.equal(comparable(own)[field]);
      const { audit } = await askCopy('GET', '/_emulator/audit');
      expect(audit.inconsistencies).to.deep.equal([]);
    } finally {
      await copy.stop();
    }
  });
});
