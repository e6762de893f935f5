// Tests of key pairs at the Compute gateway, which copies them to all pods.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { bottomRegions, Tenancy, threePods, type Json } from './support.ts';

onEachDatabase('gateway: key pairs', threePods, (world) => {
  const keypair = {
    name: 'k',
    type: 'ssh',
    public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGVjaG8gaGVsbG8gd29ybGQgZm9yIHRlc3Rpbmch a',
  };
  let cloud: Tenancy;
  beforeEach(() => (cloud = new Tenancy(world)));

  const fingerprintsOf = async (name: string): Promise<string[]> => {
    const fingerprints: string[] = [];
    for (const at of bottomRegions) {
      const { body } = await cloud.nova('GET', `/os-keypairs/${name}`, { at }).expect(200);
      fingerprints.push((body as Json)['keypair'].fingerprint as string);
    }
    return fingerprints;
  };

  it('POST /os-keypairs imports the public key in all pods', async () => {
    const { body } = await cloud.nova('POST', '/os-keypairs', { body: { keypair } }).expect(201);
    const { fingerprint } = (body as Json)['keypair'] as { fingerprint: string };
    expect(await fingerprintsOf('k')).to.deep.equal([fingerprint, fingerprint, fingerprint]);
  });

  it('POST /os-keypairs imports a generated public key in all pods', async () => {
    const { body } = await cloud
      .nova('POST', '/os-keypairs', { version: '2.90', body: { keypair: { name: 'generated' } } })
      .expect(201);
    const { fingerprint } = (body as Json)['keypair'] as { fingerprint: string };
    expect(await fingerprintsOf('generated')).to.deep.equal([
      fingerprint,
      fingerprint,
      fingerprint,
    ]);
  });

  it('POST /servers replaces a key pair of the pod that has another public key', async () => {
    const other = {
      ...keypair,
      public_key:
        'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBFub3RoZXIga2V5IGZvciB0aGUgdGVzdCBvZiBwb2Rz b',
    };
    const created = await cloud.nova('POST', '/os-keypairs', {
      body: { keypair: { ...keypair, name: 'central' } },
    });
    const { fingerprint } = (created.body as Json)['keypair'] as { fingerprint: string };
    await cloud.nova('DELETE', '/os-keypairs/central', { at: 'Pod1' }).expect(204);
    const stale = { ...other, name: 'central' };
    await cloud.nova('POST', '/os-keypairs', { body: { keypair: stale }, at: 'Pod1' }).expect(201);
    await cloud.server('a', { key_name: 'central' });
    expect((await fingerprintsOf('central'))[0]).to.equal(fingerprint);
  });

  it('DELETE /os-keypairs/{keypair_name} deletes the key pair in all pods', async () => {
    await cloud.nova('POST', '/os-keypairs', { body: { keypair } }).expect(201);
    await cloud.nova('DELETE', '/os-keypairs/k').expect(204);
    for (const at of bottomRegions) await cloud.nova('GET', '/os-keypairs/k', { at }).expect(404);
  });
});
