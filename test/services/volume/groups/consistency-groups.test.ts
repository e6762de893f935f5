// Tests consistency groups and their snapshots, the older form of groups.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, createVolume, messageOf, volume, type Person } from '../support.ts';
import { createGroup } from './support.ts';

type Fields = Record<string, unknown>;

onEachDatabase('consistency groups', { auth: 'noauth2' }, (world) => {
  const send = (
    method: string,
    path: string,
    body?: unknown,
    who: Person = 'alice',
  ): supertest.Test => ask(world, who, method, path, body === undefined ? {} : { body });

  const post = (fields: Fields): supertest.Test =>
    send('POST', '/consistencygroups', {
      consistencygroup: { volume_types: 'lvmdriver-1', ...fields },
    });
  const create = async (fields: Fields = {}): Promise<string> =>
    ((await post({ name: 'cg', ...fields }).expect(202)).body as Created).consistencygroup.id;
  interface Created {
    readonly consistencygroup: { readonly id: string };
  }
  const show = async (id: string): Promise<Fields> =>
    ((await send('GET', `/consistencygroups/${id}`).expect(200)).body as Record<string, Fields>)[
      'consistencygroup'
    ]!;
  const member = (id: string): Promise<string> =>
    createVolume(world, 'alice', { volume_type: 'lvmdriver-1', consistencygroup_id: id });
  const fromSource = (fields: Fields): supertest.Test =>
    send('POST', '/consistencygroups/create_from_src', { 'consistencygroup-from-src': fields });
  const snapshotOf = async (id: string): Promise<string> =>
    (
      (
        await send('POST', '/cgsnapshots', {
          cgsnapshot: { consistencygroup_id: id, name: ' s ' },
        }).expect(202)
      ).body as { cgsnapshot: { id: string } }
    ).cgsnapshot.id;

  it('are created with types in one text, and shown without what groups have more', async () => {
    const id = await create({ name: ' cg ', description: 'd', volume_types: 'lvmdriver-1,' });
    const shown = await show(id);
    expect(shown).to.include({ id, name: 'cg', description: 'd', status: 'available' });
    expect(shown).to.have.all.keys(
      'id',
      'name',
      'description',
      'status',
      'availability_zone',
      'created_at',
      'volume_types',
    );
    expect(shown['volume_types']).to.have.length(1);
  });

  it('return 400 without types, and 404 for an unknown type', async () => {
    expect(messageOf(await post({ volume_types: '' }).expect(400))).to.equal(
      'volume_types must be provided to create consistency group None.',
    );
    await post({ volume_types: 'unknown' }).expect(404);
  });

  it('are hidden from the API of groups, whose groups they list', async () => {
    const id = await create();
    const other = await createGroup(world, 'alice');
    await send('GET', `/groups/${id}`).expect(400);
    const idsIn = async (path: string): Promise<string[]> =>
      Object.values((await send('GET', path).expect(200)).body as Record<string, { id: string }[]>)
        .flat()
        .map((one) => one.id);
    expect(await idsIn('/groups')).to.deep.equal([other]);
    expect(await idsIn('/consistencygroups/detail')).to.have.members([id, other]);
    expect(await idsIn('/consistencygroups?name=cg')).to.deep.equal([id]);
    expect(await idsIn('/consistencygroups?colour=red')).to.deep.equal([]);
  });

  it('show their id on volumes, which groups do not', async () => {
    const id = await create();
    const inside = await member(id);
    expect(await volume(world, inside)).to.include({ consistencygroup_id: id, group_id: id });
    const other = await createGroup(world, 'alice');
    const elsewhere = await createVolume(world, 'alice', {
      volume_type: 'lvmdriver-1',
      group_id: other,
    });
    expect(await volume(world, elsewhere)).to.include({
      consistencygroup_id: null,
      group_id: other,
    });
  });

  it('gain and lose volumes, and are renamed', async () => {
    const id = await create();
    const one = await createVolume(world, 'alice', { volume_type: 'lvmdriver-1' });
    const update = (fields: Fields): supertest.Test =>
      send('PUT', `/consistencygroups/${id}/update`, { consistencygroup: fields });
    await update({ add_volumes: one, name: 'new' }).expect(202);
    expect(await volume(world, one)).to.include({ consistencygroup_id: id });
    expect(await show(id)).to.include({ name: 'new', status: 'available' });
    await update({ remove_volumes: one }).expect(202);
    expect(await volume(world, one)).to.include({ consistencygroup_id: null });
    expect(messageOf(await update({ name: '' }).expect(400))).to.equal(
      'Name, description, add_volumes, and remove_volumes can not be all empty in the request body.',
    );
  });

  it('accept a blank name from 3.6 on at the path without update', async () => {
    const id = await create();
    const change = (version: string, fields: Fields): supertest.Test =>
      ask(world, 'alice', 'PUT', `/consistencygroups/${id}`, {
        version,
        body: { consistencygroup: fields },
      });
    await change('3.5', { name: '' }).expect(400);
    await change('3.6', {}).expect(400);
    await change('3.6', { name: '' }).expect(202);
    expect(await show(id)).to.include({ name: '' });
  });

  it('are deleted with their volumes by force only', async () => {
    const id = await create();
    const inside = await member(id);
    const remove = (body: unknown): supertest.Test =>
      send('POST', `/consistencygroups/${id}/delete`, body);
    await remove({}).expect(400);
    await remove({ consistencygroup: { force: true } }).expect(202);
    await send('GET', `/consistencygroups/${id}`).expect(404);
    await send('GET', `/volumes/${inside}`).expect(404);
  });

  it('are copied from another one or from a snapshot, with a volume for each', async () => {
    const id = await create();
    await member(id);
    const snapshot = await snapshotOf(id);
    const copyOf = async (fields: Fields): Promise<string> =>
      ((await fromSource(fields).expect(202)).body as Created).consistencygroup.id;
    for (const copy of [
      await copyOf({ source_cgid: id, name: 'a' }),
      await copyOf({ cgsnapshot_id: snapshot, name: 'b' }),
    ]) {
      expect(await show(copy)).to.include({ status: 'available' });
      const detail = await send('GET', `/volumes/detail?group_id=${copy}`).expect(200);
      expect((detail.body as { volumes: Fields[] }).volumes.length).to.equal(1);
    }
    expect(messageOf(await fromSource({ name: 'x' }).expect(400))).to.equal(
      "Either 'cgsnapshot_id' or 'source_cgid' must be provided to create consistency group x " +
        'from source.',
    );
    await fromSource({ source_cgid: id, cgsnapshot_id: snapshot }).expect(400);
    await fromSource({ source_cgid: '00000000-0000-4000-8000-000000000000' }).expect(404);
  });

  it('have snapshots of their own form', async () => {
    const id = await create();
    await member(id);
    const first = await snapshotOf(id);
    const second = await snapshotOf(id);
    const { body } = await send('GET', `/cgsnapshots/${first}`).expect(200);
    const { cgsnapshot } = body as { cgsnapshot: Fields };
    expect(cgsnapshot).to.include({
      id: first,
      consistencygroup_id: id,
      name: 's',
      status: 'available',
    });
    await send('GET', `/group_snapshots/${first}`).expect(400);
    const page = await send('GET', '/cgsnapshots/detail?limit=1&offset=1').expect(200);
    const listed = (page.body as { cgsnapshots: Fields[] }).cgsnapshots;
    expect(listed.length).to.equal(1);
    expect([first, second]).to.include(listed[0]!['id']);
    for (const one of [first, second]) await send('DELETE', `/cgsnapshots/${one}`).expect(202);
    await send('GET', `/cgsnapshots/${first}`).expect(404);
  });

  it('and their snapshots are invisible to other projects', async () => {
    const id = await create();
    await member(id);
    const snapshot = await snapshotOf(id);
    await send('GET', `/consistencygroups/${id}`, undefined, 'bob').expect(404);
    await send('POST', `/consistencygroups/${id}/delete`, {}, 'bob').expect(404);
    await send('DELETE', `/cgsnapshots/${snapshot}`, undefined, 'bob').expect(404);
    expect(await show(id)).to.include({ status: 'available' });
  });
});
