// Tests `host_status` under an operator's own policy rules.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../../support/cloud.ts';
import { ask, config, member, someone } from '../support.ts';
import { admin, imageId, madeServer, newest, type Shown } from './makers.ts';

const folder = (name: string, text: string): string => {
  const policyDir = mkdtempSync(join(tmpdir(), 'cumulet-host-status-'));
  writeFileSync(join(policyDir, `${name}.yaml`), text);
  return policyDir;
};

const rule = 'os_compute_api:servers:show:host_status';
const owner = 'project_id:%(project_id)s';
/**
 * Two policies: members see every status, or only an unknown one. A status is never unknown while
 * the host exists.
 */
const shown = folder('compute', `"${rule}": "role:admin or (role:member and ${owner})"\n`);
const unknown = folder('compute', `"${rule}:unknown-only": "${owner}"\n`);

onEachDatabase('host_status for members', { ...config, policyDir: shown }, (world) => {
  it('is shown in all views of a server to a member, but not to a reader', async () => {
    const { id } = await madeServer(world, {}, member);
    const at = { ...member, version: newest };
    const reader = { ...someone('reader'), version: newest };
    const statusFor = async (path: string, as: Asked): Promise<unknown> => {
      const { server, servers } = (await ask(world, 'GET', path, as).expect(200)).body as {
        server?: Shown;
        servers?: Shown[];
      };
      const one = server ?? servers?.find((each) => each.id === id);
      expect(one).to.include({ id });
      return one!['host_status'];
    };
    for (const path of [`/servers/${id}`, '/servers/detail']) {
      expect(await statusFor(path, at), path).to.equal('UP');
      expect(await statusFor(path, reader), path).to.equal(undefined);
      expect(await statusFor(path, { ...member, version: '2.15' }), path).to.equal(undefined);
    }
    const named = await ask(world, 'PUT', `/servers/${id}`, {
      ...at,
      body: { server: { name: 'n' } },
    }).expect(200);
    expect((named.body as { server: Shown }).server['host_status']).to.equal('UP');
    const rebuilt = await ask(world, 'POST', `/servers/${id}/action`, {
      ...at,
      body: { rebuild: { imageRef: imageId } },
    }).expect(202);
    expect((rebuilt.body as { server: Shown }).server['host_status']).to.equal('UP');
  });
});

onEachDatabase(
  'host_status for members where it is unknown',
  { ...config, policyDir: unknown },
  (world) => {
    it('is shown to an administrator only, if the host’s status is known', async () => {
      const { id } = await madeServer(world, {}, member);
      const seen = async (as: Asked): Promise<Shown> =>
        (
          (await ask(world, 'GET', `/servers/${id}`, { ...as, version: newest }).expect(200))
            .body as { server: Shown }
        ).server;
      expect(await seen(member)).to.not.have.property('host_status');
      expect((await seen(admin))['host_status']).to.equal('UP');
    });
  },
);
