// Tests that operations of Volume enforce their policy rules.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import { someone } from '../../support/people.ts';
import { act, ask, createType, createVolume, volume, type Person } from './support.ts';

/** A policy that forbids multiattach volumes, and reserves metadata for administrators. */
const rules = [
  '"volume:multiattach": "!"',
  ...['get', 'update', 'delete'].map((verb) => `"volume:${verb}_volume_metadata": "role:admin"`),
];
const policyDir = mkdtempSync(join(tmpdir(), 'cumulet-volume-'));
writeFileSync(join(policyDir, 'volume.yaml'), rules.join('\n'));

onEachDatabase('a policy file for Volume', { auth: 'noauth2', policyDir }, (world) => {
  it('returns 403 for a multiattach volume if volume:multiattach forbids it', async () => {
    await createType(world, { name: 'several', extra_specs: { multiattach: '<is> True' } });
    const body = { volume: { name: 'v', size: 1, volume_type: 'several' } };
    await ask(world, 'alice', 'POST', '/volumes', { body }).expect(403);
    const { volumes } = (await ask(world, 'alice', 'GET', '/volumes').expect(200)).body as {
      volumes: object[];
    };
    expect(volumes).to.deep.equal([]);
    await createVolume(world, 'alice');
  });

  it('requires the rules of metadata for actions on image metadata', async () => {
    const id = await createVolume(world, 'admin');
    const own = await createVolume(world, 'alice');
    const set = { 'os-set_image_metadata': { metadata: { a: 'b' } } };
    const actions = [
      set,
      { 'os-show_image_metadata': {} },
      { 'os-unset_image_metadata': { key: 'a' } },
    ];
    for (const action of actions) {
      await act(world, 'alice', own, action).expect(403);
      await act(world, 'admin', id, action).expect(200);
    }
    await act(world, 'admin', id, set).expect(200);
    expect(await volume(world, id, 'admin')).to.deep.include({ volume_image_metadata: { a: 'b' } });
  });
});

onEachDatabase('default policy of Volume', { auth: 'noauth2' }, (world) => {
  const create = async (path: string, body: object): Promise<string> => {
    const reply = await ask(world, 'admin', 'POST', path, { body }).expect(200);
    return (Object.values(reply.body as object)[0] as { id: string }).id;
  };
  const status = async (
    who: Person,
    method: string,
    path: string,
    body?: object,
  ): Promise<number> => (await ask(world, who, method, path, body ? { body } : {})).status;

  it('shows types to members and readers without the fields for administrators', async () => {
    const id = await createType(world, {
      name: 't',
      extra_specs: { multiattach: '<is> True', secret: 's' },
    });
    const qos = await create('/qos-specs', { qos_specs: { name: 'q', consumer: 'both' } });
    await ask(world, 'admin', 'GET', `/qos-specs/${qos}/associate?vol_type_id=${id}`).expect(202);
    for (const who of ['alice', 'reader'] as const) {
      const { volume_type: shown } = (await ask(world, who, 'GET', `/types/${id}`).expect(200))
        .body as { volume_type: object };
      expect(shown).to.deep.include({ id, extra_specs: { multiattach: '<is> True' } });
      expect(shown).to.not.have.property('qos_specs_id');
      expect(await status(who, 'GET', '/types')).to.equal(200);
      expect(
        (await ask(world, who, 'GET', `/types/${id}/extra_specs`).expect(200)).body,
      ).to.deep.equal({
        extra_specs: { multiattach: '<is> True' },
      });
    }
    const { volume_type: all } = (await ask(world, 'admin', 'GET', `/types/${id}`).expect(200))
      .body as { volume_type: object };
    expect(all).to.deep.include({
      extra_specs: { multiattach: '<is> True', secret: 's' },
      qos_specs_id: qos,
    });
  });

  it('lets only administrators change types, extra specs, encryption and access', async () => {
    const id = await createType(world, { name: 't', extra_specs: { a: 'b' } });
    const hidden = await createType(world, { name: 'h', 'os-volume-type-access:is_public': false });
    const requests: readonly [method: string, path: string, body?: object][] = [
      ['POST', '/types', { volume_type: { name: 'u' } }],
      ['PUT', `/types/${id}`, { volume_type: { name: 'w' } }],
      ['POST', `/types/${id}/extra_specs`, { extra_specs: { c: 'd' } }],
      ['PUT', `/types/${id}/extra_specs/a`, { a: 'c' }],
      ['DELETE', `/types/${id}/extra_specs/a`],
      [
        'POST',
        `/types/${id}/encryption`,
        { encryption: { provider: 'luks', control_location: 'front-end' } },
      ],
      ['GET', `/types/${id}/encryption`],
      ['GET', `/types/${id}/encryption/provider`],
      ['PUT', `/types/${id}/encryption/x`, { encryption: { cipher: 'aes' } }],
      ['DELETE', `/types/${id}/encryption/x`],
      ['POST', `/types/${hidden}/action`, { addProjectAccess: { project: 'b1' } }],
      ['GET', `/types/${hidden}/os-volume-type-access`],
      ['POST', `/types/${hidden}/action`, { removeProjectAccess: { project: 'b1' } }],
      ['DELETE', `/types/${id}`],
    ];
    for (const [method, path, body] of requests) {
      for (const who of ['alice', 'reader'] as const) {
        const refused = path.includes(hidden) ? [403, 404] : [403];
        expect(await status(who, method, path, body), `${who}: ${method} ${path}`).to.be.oneOf(
          refused,
        );
      }
      expect(await status('admin', method, path, body), `admin: ${method} ${path}`).to.be.within(
        200,
        202,
      );
    }
  });

  it('lets only administrators read and change QoS specs', async () => {
    const id = await createType(world, { name: 't' });
    const qos = await create('/qos-specs', {
      qos_specs: { name: 'q', consumer: 'both', colour: 'red' },
    });
    const requests: readonly [method: string, path: string, body?: object][] = [
      ['GET', '/qos-specs'],
      ['POST', '/qos-specs', { qos_specs: { name: 'r', consumer: 'both' } }],
      ['GET', `/qos-specs/${qos}`],
      ['PUT', `/qos-specs/${qos}`, { qos_specs: { colour: 'blue' } }],
      ['PUT', `/qos-specs/${qos}/delete_keys`, { keys: ['colour'] }],
      ['GET', `/qos-specs/${qos}/associate?vol_type_id=${id}`],
      ['GET', `/qos-specs/${qos}/associations`],
      ['GET', `/qos-specs/${qos}/disassociate?vol_type_id=${id}`],
      ['GET', `/qos-specs/${qos}/disassociate_all`],
      ['DELETE', `/qos-specs/${qos}`],
    ];
    for (const [method, path, body] of requests) {
      for (const who of ['alice', 'reader'] as const)
        expect(await status(who, method, path, body), `${who}: ${method} ${path}`).to.equal(403);
      expect(await status('admin', method, path, body), `admin: ${method} ${path}`).to.be.within(
        200,
        202,
      );
    }
  });

  it('lets a reader see volumes, but not change them', async () => {
    const id = await createVolume(world, 'alice');
    expect(await status('reader', 'GET', `/volumes/${id}`)).to.equal(200);
    const nobody: Asked = { ...someone('', 'dave', 'b1') };
    expect((await world.ask('volume', 'GET', `/volume/v3/volumes/${id}`, nobody)).status).to.equal(
      403,
    );
    const changes: readonly [method: string, path: string, body?: object][] = [
      ['POST', '/volumes', { volume: { size: 1 } }],
      ['PUT', `/volumes/${id}`, { volume: { name: 'w' } }],
      ['POST', `/volumes/${id}/action`, { 'os-extend': { new_size: 2 } }],
      ['POST', '/snapshots', { snapshot: { volume_id: id } }],
      ['POST', '/volume-transfers', { transfer: { volume_id: id } }],
      ['DELETE', `/volumes/${id}`],
    ];
    for (const [method, path, body] of changes)
      expect(await status('reader', method, path, body), `${method} ${path}`).to.equal(403);
  });
});
