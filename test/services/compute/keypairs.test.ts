// Tests of keypairs at all versions.
import { expect } from 'chai';
import { X509Certificate, createPrivateKey, createPublicKey } from 'node:crypto';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import { sshKey } from '../../contract/samples/compute.ts';
import { ask, config, expectFault, member, someone } from './support.ts';

const namesOf = (body: unknown): string[] =>
  (body as { keypairs: { keypair: { name: string } }[] }).keypairs.map(
    ({ keypair }) => keypair.name,
  );

onEachDatabase('compute: keypairs', config, (world) => {
  const post = (keypair: object, version = '2.1', as: Asked = member) =>
    ask(world, 'POST', '/os-keypairs', { ...as, version, body: { keypair } });
  const imported = (name: string, as: Asked = member) =>
    post({ name, public_key: sshKey }, '2.2', as);

  describe('POST /os-keypairs', () => {
    it('imports a public key and returns its fingerprint', async () => {
      const { status, body } = await post({ name: 'k', public_key: sshKey });
      expect(status).to.equal(200);
      expect(body).to.deep.equal({
        keypair: {
          name: 'k',
          public_key: sshKey,
          user_id: 'demo',
          fingerprint: '65:96:2d:fc:e8:d5:a9:11:64:0c:0f:ea:00:6e:5b:bd',
        },
      });
    });

    it('returns 201 and a type from 2.2 on', async () => {
      const { status, body } = await imported('k');
      expect([status, body.keypair.type]).to.deep.equal([201, 'ssh']);
    });

    it('generates a key pair without public_key, until 2.91', async () => {
      const { body } = await post({ name: 'k' }, '2.91');
      expect(body.keypair.public_key).to.match(/^ssh-rsa AAAA\S+ Generated-by-Nova$/);
      const { n } = createPublicKey(createPrivateKey(body.keypair.private_key as string)).export({
        format: 'jwk',
      });
      const blob = Buffer.from((body.keypair.public_key as string).split(' ')[1]!, 'base64');
      expect(blob.subarray(-256).toString('base64url')).to.equal(n);
      expectFault(await post({ name: 'l' }, '2.92'), 400, /'public_key' is a required property$/);
    });

    it('generates a self-signed certificate for type x509', async () => {
      const { body } = await post({ name: 'k', type: 'x509' }, '2.2');
      const certificate = new X509Certificate(body.keypair.public_key as string);
      expect(
        certificate.checkPrivateKey(createPrivateKey(body.keypair.private_key as string)),
      ).to.equal(true);
      expect(certificate.verify(certificate.publicKey)).to.equal(true);
      expect(certificate.subject).to.equal('CN=demo');
      expect(certificate.subjectAltName).to.match(/othername/i);
      expect(body.keypair.fingerprint).to.equal(certificate.fingerprint.toLowerCase());
      const again = await post(
        { name: 'l', type: 'x509', public_key: body.keypair.public_key },
        '2.2',
      );
      expect(again.body.keypair.fingerprint).to.equal(body.keypair.fingerprint);
    });

    it('returns 400 for an invalid public key', async () => {
      for (const key of [
        '',
        'ssh-rsa',
        'ssh-rsa AAAA',
        'ssh-rsa !!!!',
        'x AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl',
        sshKey.replace('ssh-ed25519', 'ssh-rsa'),
      ])
        expectFault(
          await post({ name: 'k', public_key: key }),
          400,
          'Keypair data is invalid: failed to generate fingerprint',
        );
      expectFault(
        await post({ name: 'k', type: 'x509', public_key: 'no' }, '2.2'),
        400,
        /^Keypair data is invalid: failed to generate X509 fingerprint/,
      );
    });

    it('returns 400 for a name with characters that the version does not allow', async () => {
      for (const name of ['k/1', 'k@1', 'k.1', 'schlüssel'])
        expectFault(
          await post({ name, public_key: sshKey }, '2.91'),
          400,
          new RegExp(`does not match '\\^\\[`),
        );
      expect((await post({ name: 'k@a.1 b_-', public_key: sshKey }, '2.92')).status).to.equal(201);
      expectFault(
        await post({ name: ' k', public_key: sshKey }, '2.91'),
        400,
        /printable characters/,
      );
    });

    it('returns 409 for a name that the user has already', async () => {
      await imported('k');
      expectFault(await imported('k'), 409, "Key pair 'k' already exists.");
      expect((await imported('k', someone('member', 'other'))).status).to.equal(201);
    });

    it('returns 403 at the user’s quota', async () => {
      await ask(world, 'PUT', '/os-quota-sets/demo', { body: { quota_set: { key_pairs: 2 } } });
      await imported('a');
      await imported('b');
      expectFault(await imported('c'), 403, 'Quota exceeded, too many key pairs.');
      expect((await imported('c', someone('member', 'other'))).status).to.equal(201);
    });
  });

  describe('GET and DELETE /os-keypairs/{name}', () => {
    it('shows a key pair by its name', async () => {
      await imported('k');
      const old = await ask(world, 'GET', '/os-keypairs/k', member);
      expect(old.body.keypair).to.not.have.property('type');
      const { body } = await ask(world, 'GET', '/os-keypairs/k', { ...member, version: '2.2' });
      expect(body.keypair).to.deep.include({
        name: 'k',
        type: 'ssh',
        user_id: 'demo',
        deleted: false,
        deleted_at: null,
        updated_at: null,
        created_at: '2026-11-20T12:00:00.000000',
      });
      expect(body.keypair.id).to.be.a('number');
      expectFault(
        await ask(world, 'GET', '/os-keypairs/none', member),
        404,
        'Keypair none not found for user demo',
      );
    });

    it('lists key pairs by name, in pages from 2.35 on', async () => {
      for (const name of ['c', 'a', 'b']) await imported(name);
      expect(namesOf((await ask(world, 'GET', '/os-keypairs?limit=1', member)).body)).to.deep.equal(
        ['a', 'b', 'c'],
      );
      const { body } = await ask(world, 'GET', '/os-keypairs?limit=1&marker=a', {
        ...member,
        version: '2.35',
      });
      expect(namesOf(body)).to.deep.equal(['b']);
      expect((body as { keypairs_links: { href: string }[] }).keypairs_links[0]!.href).to.match(
        /os-keypairs\?limit=1&marker=b$/,
      );
      expectFault(
        await ask(world, 'GET', '/os-keypairs?marker=x', { ...member, version: '2.35' }),
        400,
        'Marker x could not be found.',
      );
    });

    it('deletes a key pair with 202, and with 204 from 2.2 on', async () => {
      await imported('a');
      await imported('b');
      expect((await ask(world, 'DELETE', '/os-keypairs/a', member)).status).to.equal(202);
      expect(
        (await ask(world, 'DELETE', '/os-keypairs/b', { ...member, version: '2.2' })).status,
      ).to.equal(204);
      expectFault(
        await ask(world, 'DELETE', '/os-keypairs/b', member),
        404,
        'Keypair b not found for user demo',
      );
    });

    it('are limited to the user; from 2.10 on administrators may name another', async () => {
      await imported('k');
      expect(
        namesOf((await ask(world, 'GET', '/os-keypairs?user_id=demo', { version: '2.9' })).body),
      ).to.deep.equal([]);
      expect(
        namesOf((await ask(world, 'GET', '/os-keypairs?user_id=demo', { version: '2.10' })).body),
      ).to.deep.equal(['k']);
      expectFault(
        await ask(world, 'GET', '/os-keypairs?user_id=admin', { ...member, version: '2.10' }),
        403,
        "Policy doesn't allow os_compute_api:os-keypairs:index to be performed.",
      );
      expect(
        (await post({ name: 'l', public_key: sshKey, user_id: 'demo' }, '2.10', {})).body.keypair
          .user_id,
      ).to.equal('demo');
      expectFault(
        await post({ name: 'm', public_key: sshKey, user_id: 'admin' }, '2.10'),
        403,
        /os-keypairs:create/,
      );
      expectFault(
        await post({ name: 'm', public_key: sshKey, user_id: 'admin' }, '2.9'),
        400,
        /'user_id' was unexpected/,
      );
      expect(
        (await ask(world, 'DELETE', '/os-keypairs/k?user_id=demo', { version: '2.10' })).status,
      ).to.equal(204);
    });
  });
});
