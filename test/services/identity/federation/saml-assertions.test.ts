// Assertions with which users of tokens sign in to other clouds, and the metadata for them.
import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids, make, message, onSystem, signIn } from '../support.ts';
import { put } from './support.ts';
import {
  certificateIn,
  consumer,
  host,
  registerSelf,
  requestAssertion,
  signedPart,
  site,
} from './saml.ts';

onEachDatabase('identity: SAML assertions for tokens', {}, (world) => {
  const metadata = () =>
    ask(world, 'GET', '/v3/OS-FEDERATION/saml2/metadata', { token: null, headers: host });
  const settings = (body: object) =>
    world.http.put('/_emulator/identity/settings').send(body).expect(200);
  const valuesOf = (xml: string, attribute: string): string[] => {
    const [, values = ''] =
      new RegExp(`<saml:Attribute Name="${attribute}"[^>]*>(.*?)</saml:Attribute>`, 's').exec(
        xml,
      ) ?? [];
    return [...values.matchAll(/<saml:AttributeValue[^>]*>([^<]*)</g)].map(([, value]) => value!);
  };

  describe('GET /v3/OS-FEDERATION/saml2/metadata', () => {
    it('describes the cloud as an identity provider, in a signed document', async () => {
      const reply = await metadata();
      expect(reply.status).to.equal(200);
      expect(reply.headers['content-type']).to.equal('text/xml');
      expect(reply.text).to.include(`entityID="${site}/v3/OS-FEDERATION/saml2/idp"`);
      expect(reply.text).to.include(`Location="${site}/v3/OS-FEDERATION/saml2/sso"`);
      const certificate = certificateIn(reply.text);
      expect(new X509Certificate(certificate).publicKey.asymmetricKeyType).to.equal('rsa');
      expect(signedPart(reply.text, certificate)).to.include('<md:IDPSSODescriptor');
    });

    it('has the name that the settings give', async () => {
      await settings({ idp_entity_id: 'https://idp.example/' });
      expect((await metadata()).text).to.include('entityID="https://idp.example/"');
    });

    it('has the same certificate after a reset', async () => {
      const before = certificateIn((await metadata()).text);
      await world.http.post('/_emulator/reset').expect(204);
      expect(certificateIn((await metadata()).text)).to.equal(before);
    });
  });

  describe('POST /v3/auth/OS-FEDERATION/saml2', () => {
    it('issues a signed assertion about the user, the project and the roles', async () => {
      await registerSelf(world);
      const reply = await requestAssertion(world, await signIn(world));
      expect(reply.status).to.equal(200);
      expect(reply.headers).to.include({
        'content-type': 'text/xml',
        'x-sp-url': consumer,
        'x-auth-url': `${site}/v3/OS-FEDERATION/identity_providers/self/protocols/saml2/auth`,
      });
      expect(reply.text).to.include(`Destination="${consumer}"`);
      const assertion = signedPart(reply.text, certificateIn((await metadata()).text));
      expect(assertion).to.match(/^<saml:Assertion /);
      expect(assertion).to.include('<saml:NameID>admin</saml:NameID>');
      expect(assertion).to.include(
        `NotOnOrAfter="2026-11-20T13:00:00.000000Z" Recipient="${consumer}"`,
      );
      expect(valuesOf(assertion, 'openstack_user')).to.deep.equal(['admin']);
      expect(valuesOf(assertion, 'openstack_user_domain')).to.deep.equal(['Default']);
      expect(valuesOf(assertion, 'openstack_project')).to.deep.equal(['admin']);
      expect(valuesOf(assertion, 'openstack_project_domain')).to.deep.equal(['Default']);
      expect(valuesOf(assertion, 'openstack_roles')).to.include.members(['admin', 'member']);
      expect(assertion).to.not.include('openstack_groups');
    });

    it('names the groups of the user with their domains, in JSON', async () => {
      await registerSelf(world);
      const group = await make(world, 'group', { name: 'dévs "1"' });
      await ask(world, 'PUT', `/v3/groups/${group.id}/users/${ids.admin}`);
      const { text } = await requestAssertion(world, await signIn(world));
      const [value = ''] = valuesOf(text, 'openstack_groups');
      expect(value.replaceAll('&quot;', '"')).to.equal(
        String.raw`JSON:{"name": "d\u00e9vs \"1\"", "domain": {"name": "Default"}}`,
      );
    });

    it('is valid for the time in the settings', async () => {
      await registerSelf(world);
      await settings({ assertion_expiration_time: 60 });
      const { text } = await requestAssertion(world, await signIn(world));
      expect(text).to.include('SessionNotOnOrAfter="2026-11-20T12:01:00.000000Z"');
    });

    it('escapes names, so that they stay text', async () => {
      await registerSelf(world);
      const name = '</saml:NameID>&\u0001"';
      await ask(world, 'PATCH', `/v3/users/${ids.admin}`, { body: { user: { name } } });
      const token = await signIn(world, { name, scope: { project: { id: ids.adminProject } } });
      const { text } = await requestAssertion(world, token);
      const assertion = signedPart(text, certificateIn((await metadata()).text));
      expect(assertion).to.include('<saml:NameID>&lt;/saml:NameID&gt;&amp;\ufffd"</saml:NameID>');
    });

    it('returns 403 for a disabled service provider and for a token without a project', async () => {
      await put(world, 'service_providers/off', {
        auth_url: `${site}/x`,
        sp_url: consumer,
        enabled: false,
      });
      await registerSelf(world);
      const disabled = await requestAssertion(world, await signIn(world), { provider: 'off' });
      expect([disabled.status, message(disabled)]).to.deep.equal([
        403,
        'You are not authorized to perform the requested action.',
      ]);
      for (const scope of ['unscoped', onSystem]) {
        const reply = await requestAssertion(world, await signIn(world, { scope }));
        expect([reply.status, message(reply)]).to.deep.equal([
          403,
          'You are not authorized to perform the requested action: Use a project scoped token ' +
            'when attempting to create a SAML assertion.',
        ]);
      }
    });

    it('returns 404 for an unknown service provider before an unknown token', async () => {
      const reply = await requestAssertion(world, 'x', { provider: 'none' });
      expect(reply.status).to.equal(404);
      expect(message(reply)).to.equal('Could not find Service Provider: none.');
      await registerSelf(world);
      expect((await requestAssertion(world, 'x')).status).to.equal(404);
    });

    it('returns 400 for a body that does not fit, and 405 for other methods', async () => {
      const path = '/v3/auth/OS-FEDERATION/saml2';
      const token = { token: { id: 'x' } };
      const scope = { service_provider: { id: 'x' } };
      for (const auth of [
        undefined,
        { identity: token },
        { scope },
        { identity: {}, scope },
        { identity: { token: {} }, scope },
        { identity: { ...token, password: {} }, scope },
        { identity: token, scope: { project: { id: 'x' } } },
        { identity: token, scope, more: 1 },
      ]) {
        const reply = await ask(world, 'POST', path, { token: null, body: { auth } });
        expect(reply.status, JSON.stringify(auth)).to.equal(400);
      }
      expect(message(await ask(world, 'POST', path, { token: null, body: {} }))).to.match(
        /^None is not of type 'object'/,
      );
      expect((await ask(world, 'GET', path, { token: null })).status).to.equal(405);
    });
  });

  describe('POST /v3/auth/OS-FEDERATION/saml2/ecp', () => {
    it('issues the same in an envelope with a relay state', async () => {
      await registerSelf(world, { relay_state_prefix: 'cookie:' });
      const reply = await requestAssertion(world, await signIn(world), { form: '/ecp' });
      expect(reply.status).to.equal(200);
      expect(reply.headers['x-sp-url']).to.equal(consumer);
      expect(reply.text).to.match(
        /<soap:Header><ecp:RelayState [^>]*>cookie:[0-9a-f]{32}<\/ecp:RelayState><\/soap:Header>/,
      );
      const assertion = signedPart(reply.text, certificateIn((await metadata()).text));
      expect(valuesOf(assertion, 'openstack_user')).to.deep.equal(['admin']);
    });
  });
});
