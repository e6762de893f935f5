// The encryption of stored credentials in the table, and Fernet itself.
import { expect } from 'chai';
import { ensureEncryption } from '../../../../src/services/identity/store/credential/credentials.ts';
import {
  decryptFernet,
  encryptFernet,
  newFernetKey,
} from '../../../../src/services/identity/store/credential/fernet.ts';
import { noon, onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids } from '../support.ts';

describe('Fernet', () => {
  it('decrypts the token of the specification', () => {
    // The token in the specification: acceptance/verify.json.
    const key = 'cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=';
    const token =
      'gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLLF_5CV9dOPmrhuVUPgJobwOz7JcbmrR64jVmpU4IwqDA==';
    expect(decryptFernet(key, token)).to.equal('hello');
  });

  it('encrypts differently each time, and decrypts only unchanged tokens with the same key', () => {
    const [key, other] = [newFernetKey(), newFernetKey()];
    const tokens = ['', 'grün', 'x'.repeat(1000)].map((text) => encryptFernet(key, text, noon));
    expect(tokens.map((token) => decryptFernet(key, token))).to.deep.equal([
      '',
      'grün',
      'x'.repeat(1000),
    ]);
    expect(encryptFernet(key, '', noon)).to.not.equal(tokens[0]);
    expect(decryptFernet(other, tokens[1]!)).to.equal(undefined);
    for (const broken of [
      '',
      'gAAAA',
      tokens[1]!.slice(4),
      `${tokens[1]!.slice(0, 40)}A${tokens[1]!.slice(41)}`,
      'plain text',
    ])
      if (broken !== tokens[1]) expect(decryptFernet(key, broken), broken).to.equal(undefined);
  });
});

onEachDatabase('identity: encrypted credentials', {}, (world) => {
  const rows = async (): Promise<string> =>
    JSON.stringify(await world.cloud.central.db('identity_credentials').select());
  const fields = { user_id: ids.admin, type: 'cert', blob: 'the secret of the blob' };
  const make = async (): Promise<string> => {
    const { body } = await ask(world, 'POST', '/v3/credentials', { body: { credential: fields } });
    return (body as { credential: { id: string } }).credential.id;
  };
  const blobOf = async (id: string): Promise<string> =>
    ((await ask(world, 'GET', `/v3/credentials/${id}`)).body as { credential: { blob: string } })
      .credential.blob;

  it('are encrypted in the table, and returned as sent', async () => {
    const id = await make();
    expect(await rows()).to.not.contain('secret');
    expect(await blobOf(id)).to.equal(fields.blob);
    await ask(world, 'PATCH', `/v3/credentials/${id}`, {
      body: { credential: { blob: 'another secret' } },
    });
    expect(await rows()).to.not.contain('secret');
    expect(await blobOf(id)).to.equal('another secret');
    await ask(world, 'POST', `/v3/users/${ids.admin}/credentials/OS-EC2`, {
      body: { tenant_id: ids.adminProject },
    });
    expect(await rows()).to.not.contain('access');
  });

  it('that were stored as plain text are encrypted at the next start', async () => {
    const id = await make();
    const { db } = world.cloud.central;
    await db('identity_credentials').where({ id }).update({ blob: fields.blob, key_hash: null });
    await ensureEncryption(db, noon);
    await ensureEncryption(db, noon);
    expect(await rows()).to.not.contain('secret');
    expect(await blobOf(id)).to.equal(fields.blob);
  });
});
