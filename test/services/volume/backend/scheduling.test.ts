// Tests the scheduler: extra specs of volume types, and a pool of limited capacity.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { act, ask, askAsAdmin, createType, createVolume, volume } from '../support.ts';

onEachDatabase('scheduling of volumes', { auth: 'noauth2' }, (world) => {
  it('compares the extra specs of a type with the capabilities of the pool', async () => {
    const cases: [string, string, string][] = [
      ['storage_protocol', '<or> FC <or> iSCSI', 'available'],
      ['capabilities:vendor_name', '<in> Open', 'available'],
      ['multiattach', '<is> True', 'available'],
      ['QoS_support', '<is> True', 'error'],
      ['reserved_percentage', '<= 10', 'available'],
      ['vendor:colour', 'red', 'available'],
    ];
    for (const [name, value, status] of cases) {
      await createType(world, { name: `${name} ${value}`, extra_specs: { [name]: value } });
      const id = await createVolume(world, 'alice', { volume_type: `${name} ${value}` });
      expect(await volume(world, id), name).to.include({ status });
    }
  });
});

onEachDatabase('a pool of 10 GiB', { auth: 'noauth2', volumeCapacity: 10 }, (world) => {
  const capabilities = async (): Promise<Record<string, unknown>> => {
    const path = '/scheduler-stats/get_pools?detail=true';
    const { body } = await askAsAdmin(world, 'GET', path).expect(200);
    return (body as { pools: { capabilities: Record<string, unknown> }[] }).pools[0]!.capabilities;
  };
  const messages = async (): Promise<string[]> => {
    const { body } = await ask(world, 'alice', 'GET', '/messages').expect(200);
    return (body as { messages: { user_message: string }[] }).messages.map(
      ({ user_message: text }) => text,
    );
  };

  it('reports its total and free capacity', async () => {
    const id = await createVolume(world, 'alice', { size: 7 });
    expect(await volume(world, id)).to.include({ status: 'available' });
    expect(await capabilities()).to.include({
      total_capacity_gb: 10,
      free_capacity_gb: 3,
      allocated_capacity_gb: 7,
      thin_provisioning_support: false,
      max_over_subscription_ratio: '1.0',
    });
  });

  it('rejects a volume that does not fit, which uses no capacity', async () => {
    await createVolume(world, 'alice', { size: 7 });
    const large = await createVolume(world, 'alice', { size: 4 });
    expect(await volume(world, large)).to.include({ status: 'error' });
    expect(await messages()).to.deep.equal([
      'schedule allocate volume:Could not find any available weighted backend.',
    ]);
    const fitting = await createVolume(world, 'alice', { size: 3 });
    expect(await volume(world, fitting)).to.include({ status: 'available' });
  });

  it('regains the capacity of a deleted volume', async () => {
    const id = await createVolume(world, 'alice', { size: 7 });
    await createVolume(world, 'alice', { size: 3 });
    await ask(world, 'alice', 'DELETE', `/volumes/${id}`).expect(202);
    expect(await capabilities()).to.include({ free_capacity_gb: 7 });
  });

  it('lets a volume grow into the free capacity, but not beyond', async () => {
    const id = await createVolume(world, 'alice', { size: 4 });
    await volume(world, id);
    await act(world, 'alice', id, { 'os-extend': { new_size: 10 } }).expect(202);
    expect(await volume(world, id)).to.include({ status: 'available', size: 10 });
    await act(world, 'alice', id, { 'os-extend': { new_size: 11 } }).expect(202);
    expect(await volume(world, id)).to.include({ status: 'available', size: 10 });
    expect(await messages()).to.deep.equal([
      'extend volume:Could not find any available weighted backend.',
    ]);
  });

  it('keeps a volume that changes its type, even if the pool is full', async () => {
    const id = await createVolume(world, 'alice', { size: 10 });
    await volume(world, id);
    await createType(world, { name: 'other' });
    await act(world, 'alice', id, { 'os-retype': { new_type: 'other' } }).expect(202);
    expect(await volume(world, id)).to.include({ status: 'available', volume_type: 'other' });
  });
});
