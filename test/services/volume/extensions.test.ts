// Tests extensions.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask } from './support.ts';

onEachDatabase('extensions', { auth: 'noauth2' }, (world) => {
  it('GET /extensions lists the extensions', async () => {
    const { extensions } = (await ask(world, 'alice', 'GET', '/extensions').expect(200)).body;
    expect(extensions.map(({ alias }: { alias: string }) => alias)).to.include.members([
      'encryption',
      'qos-specs',
    ]);
  });

  it('GET /extensions/{alias} shows an extension, and returns 404 for an unknown one', async () => {
    expect(
      (await ask(world, 'alice', 'GET', '/extensions/encryption').expect(200)).body.extension.alias,
    ).to.equal('encryption');
    await ask(world, 'alice', 'GET', '/extensions/x').expect(404);
  });
});
