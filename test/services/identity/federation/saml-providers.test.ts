// The identity providers whose assertions are accepted, by their metadata.
import { expect } from 'chai';
import { parseTime, SECOND } from '../../../../src/kernel/clock.ts';
import { createSigningKey, type KeyPair } from '../../../../src/kernel/tls/certificates.ts';
import { envelopeOf, relayState } from '../../../../src/services/identity/domain/saml/envelopes.ts';
import { ownMetadata } from '../../../../src/services/identity/domain/saml/metadata.ts';
import { responseOf } from '../../../../src/services/identity/domain/saml/responses.ts';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, message } from '../support.ts';
import { consumer, host } from './saml.ts';

onEachDatabase('identity: SAML providers that are trusted', {}, (world) => {
  const providers = '/_emulator/saml/providers';
  const entityId = 'https://other/idp';
  const now = parseTime('2026-11-20T12:00:00Z')!;
  let [pair, stranger]: KeyPair[] = [];

  before(async () => {
    [pair, stranger] = await Promise.all([createSigningKey('other'), createSigningKey('stranger')]);
  });

  const metadata = (id = entityId): string => ownMetadata('https://other', id, pair!).markup;
  const register = (name: string, text: string) =>
    world.http.put(`${providers}/${name}`).send({ metadata: text });
  /** Presents an assertion that another cloud has signed. */
  const present = (by: KeyPair, issuer = entityId) => {
    const content = {
      issuer,
      recipient: consumer,
      subject: 'ann',
      attributes: [['openstack_user', ['ann']]] as const,
      issuedAt: now,
      expiresAt: now + 60 * SECOND,
    };
    const { markup } = envelopeOf([relayState('ss:mem:x')], responseOf(content, by));
    return ask(world, 'POST', '/Shibboleth.sso/SAML2/ECP', {
      token: null,
      headers: { ...host, 'content-type': 'application/vnd.paos+xml' },
      body: markup,
    });
  };

  it('are those whose metadata has been registered, until they are deleted', async () => {
    expect((await present(pair!)).status).to.equal(401);
    await register('other', metadata()).expect(200);
    expect((await present(pair!)).status).to.equal(302);
    await world.http.delete(`${providers}/other`).expect(204);
    expect((await present(pair!)).status).to.equal(401);
    await world.http.delete(`${providers}/other`).expect(404);
  });

  it('sign with the keys in their metadata, for their own name', async () => {
    await register('other', metadata()).expect(200);
    for (const [by, issuer] of [
      [stranger!, entityId],
      [pair!, 'https://third/idp'],
    ] as const)
      expect(message(await present(by, issuer))).to.match(/its signature is invalid/);
  });

  it('are listed by name, and replaced', async () => {
    await register('b', metadata('https://b/idp')).expect(200);
    await register('a', metadata('https://c/idp')).expect(200);
    await register('a', metadata('https://a/idp')).expect(200);
    const { body } = await world.http.get(providers).expect(200);
    expect(body).to.deep.equal({
      providers: [
        { name: 'a', entity_id: 'https://a/idp', certificates: [pair!.cert] },
        { name: 'b', entity_id: 'https://b/idp', certificates: [pair!.cert] },
      ],
    });
    await register('c', metadata('https://a/idp')).expect(409);
  });

  it('are refused with metadata that cannot be used', async () => {
    const text = metadata();
    const wrong = [
      'x',
      '<x/>',
      `<!DOCTYPE x>${text}`,
      text.replace(/entityID="[^"]*"/, ''),
      text.replace('use="signing"', 'use="encryption"'),
      text.replaceAll(/<ds:X509Certificate>[^<]*/g, '<ds:X509Certificate>AAAA'),
    ];
    for (const one of wrong) await register('other', one).expect(400);
    await register('a'.repeat(65), text).expect(400);
    expect((await world.http.get(providers)).body).to.deep.equal({ providers: [] });
  });
});
