// Signing in by SAML: with assertions of this cloud for its own tokens (K2K), and with those of the
// identity providers for tests (ECP).
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids, make, message } from '../support.ts';
import { put, setUser } from './support.ts';
import { adminEnvelope, authPath, consumer, host, registerSelf, site } from './saml.ts';

onEachDatabase('identity: signing in by SAML', {}, (world) => {
  const paos = 'application/vnd.paos+xml';
  const k2kIssuer = `${site}/v3/OS-FEDERATION/saml2/idp`;
  const testIssuer = `${site}/saml/partner`;
  const ecpHeaders = {
    accept: `text/html, ${paos}`,
    paos: 'ver="urn:liberty:paos:2003-08";"urn:oasis:names:tc:SAML:2.0:profiles:SSO:ecp"',
  };
  const byName = (attribute: string) => [
    { local: [{ user: { name: '{0}' } }], remote: [{ type: attribute }] },
  ];

  /** Makes an identity provider with the protocol saml2. */
  async function configure(provider: string, remoteId: string, rules: object[]): Promise<void> {
    await put(world, `mappings/${provider}`, { rules, schema_version: '2.0' });
    const fields = { enabled: true, domain_id: 'default', remote_ids: [remoteId] };
    await put(world, `identity_providers/${provider}`, fields);
    const protocol = { mapping_id: provider };
    await put(world, `identity_providers/${provider}/protocols/saml2`, protocol);
  }

  const present = (text: string, headers: Record<string, string> = host) =>
    ask(world, 'POST', '/Shibboleth.sso/SAML2/ECP', {
      token: null,
      headers: { ...headers, 'content-type': paos },
      body: text,
    });
  const cookieOf = (reply: { headers: Record<string, unknown> }): string =>
    (reply.headers['set-cookie'] as string[])[0]!.split(';')[0]!;
  const getToken = (provider: string, cookie: string) =>
    ask(world, 'GET', authPath(provider), { token: null, headers: { ...host, cookie } });
  const why = (reply: { body: unknown; status: number }): string =>
    `${reply.status} ${message(reply).replace('The SAML response is not accepted: ', '')}`;
  const nameIn = ({ body }: { body: unknown }): string =>
    (body as { token: { user: { name: string } } }).token.user.name;

  describe('with an assertion for a token', () => {
    beforeEach(async () => {
      await registerSelf(world);
      await configure('self', k2kIssuer, byName('openstack_user'));
    });

    it('opens a session, with whose cookie the client gets a token', async () => {
      const opened = await present(await adminEnvelope(world));
      expect(opened.status).to.equal(302);
      expect(opened.headers['location']).to.equal(`${site}/v3`);
      expect((opened.headers['set-cookie'] as unknown as string[])[0]).to.match(
        /^_shibsession_\w+=_[0-9a-f]{32}; Path=\/; HttpOnly$/,
      );
      for (let again = 0; again < 2; again++) {
        const reply = await getToken('self', cookieOf(opened));
        expect(reply.status).to.equal(201);
        expect(nameIn(reply)).to.equal('admin');
        expect(reply.body.token).to.not.have.property('project');
        expect(reply.body.token.methods).to.deep.equal(['saml2']);
      }
      expect((await getToken('self', 'x=y')).status).to.equal(401);
    });

    it('gives all attributes to the mapping, with the groups of the user', async () => {
      const group = await make(world, 'group', { name: 'devs' });
      await ask(world, 'PUT', `/v3/groups/${group.id}/users/${ids.admin}`);
      const names = ['user', 'user_domain', 'project', 'project_domain'];
      const rules = [
        {
          local: [{ user: { name: '{0} {1} {2} {3}' } }, { groups: '{4}' }],
          remote: [
            ...names.map((name) => ({ type: `openstack_${name}` })),
            { type: 'openstack_groups' },
            { type: 'openstack_roles', any_one_of: ['admin'] },
          ],
        },
      ];
      await ask(world, 'PATCH', '/v3/OS-FEDERATION/mappings/self', {
        body: { mapping: { rules } },
      });
      const opened = await present(await adminEnvelope(world));
      const { body } = await getToken('self', cookieOf(opened));
      expect(nameIn({ body })).to.equal('admin Default admin Default');
      expect(body.token.user['OS-FEDERATION'].groups).to.deep.equal([{ id: group.id }]);
    });

    it('refuses an assertion that has been presented before', async () => {
      const envelope = await adminEnvelope(world);
      expect((await present(envelope)).status).to.equal(302);
      expect(why(await present(envelope))).to.equal('401 the assertion has been presented before.');
    });

    it('refuses an assertion that has expired, and ends the session with it', async () => {
      const [first, second] = [await adminEnvelope(world), await adminEnvelope(world)];
      const cookie = cookieOf(await present(first));
      await world.setTime('2026-11-20T13:02:59Z');
      expect((await getToken('self', cookie)).status).to.equal(201);
      await world.setTime('2026-11-20T13:03:00Z');
      expect((await getToken('self', cookie)).status).to.equal(401);
      expect(why(await present(second))).to.equal('401 it has expired.');
    });

    it('refuses an assertion for another recipient', async () => {
      await registerSelfAt('http://elsewhere/Shibboleth.sso/SAML2/ECP');
      expect(why(await present(await adminEnvelope(world)))).to.equal(
        `401 it is for http://elsewhere/Shibboleth.sso/SAML2/ECP, not for ${consumer}.`,
      );
    });

    const registerSelfAt = (url: string) =>
      ask(world, 'PATCH', '/v3/OS-FEDERATION/service_providers/self', {
        body: { service_provider: { sp_url: url } },
      });

    it('refuses a provider whose remote ids lack the issuer, with 403', async () => {
      await configure('other', 'https://other', byName('openstack_user'));
      const cookie = cookieOf(await present(await adminEnvelope(world)));
      expect((await getToken('other', cookie)).status).to.equal(403);
    });

    it('refuses what has been changed, wrapped, or signed in part', async () => {
      const envelope = await adminEnvelope(world);
      const [assertion = ''] = /<saml:Assertion .*<\/saml:Assertion>/s.exec(envelope) ?? [];
      const [signature = ''] = /<ds:Signature .*<\/ds:Signature>/s.exec(envelope) ?? [];
      const [, id = ''] = /<saml:Assertion [^>]*ID="([^"]+)"/.exec(envelope) ?? [];
      const evil = assertion
        .replace(signature, '')
        .replaceAll('>admin<', '>root<')
        .replace(id, '_evil');
      const invalid = '401 its signature is invalid, or by a key that is not in the metadata.';
      const unsigned = '401 neither the assertion nor the response has a signature.';
      const several = '401 it must have one assertion.';
      const elsewhere =
        '401 a signature must be enveloped in what it signs, with exclusive canonicalization.';
      const wrapped = (text: string): string => envelope.replace(assertion, text);
      const inEvil = (inner: string): string =>
        evil.replace('</saml:Issuer>', `</saml:Issuer>${inner}`);
      const cases: [string, string][] = [
        [envelope.replace('>admin<', '>root<'), invalid],
        [wrapped(evil), unsigned],
        [wrapped(evil + assertion), several],
        [wrapped(assertion + evil), several],
        // The signature moves to the evil assertion, and what it signs into an extension.
        [wrapped(inEvil(signature)), elsewhere],
        [
          wrapped(
            inEvil(
              signature.replace(
                '</ds:KeyInfo>',
                `</ds:KeyInfo><ds:Object>${assertion.replace(signature, '')}</ds:Object>`,
              ),
            ),
          ),
          elsewhere,
        ],
        // The evil assertion has the id of the one that is signed.
        [
          wrapped(
            inEvil(signature).replace('_evil', id) + `<x>${assertion.replace(signature, '')}</x>`,
          ),
          invalid,
        ],
        [envelope.replace(/<ds:DigestValue>[^<]*</, '<ds:DigestValue>AAAA<'), invalid],
        [envelope.replace('rsa-sha256', 'hmac-sha1'), invalid],
        [envelope.replace(/<ds:Transform Algorithm="[^"]*enveloped[^"]*"\/>/, ''), elsewhere],
        [
          envelope.replace('status:Success', 'status:Responder'),
          '401 its status is urn:oasis:names:tc:SAML:2.0:status:Responder.',
        ],
        [
          envelope.replace('saml:Assertion', 'saml:X').replace('/saml:Assertion', '/saml:X'),
          several,
        ],
      ];
      for (const [text, expected] of cases) {
        expect(text).to.not.equal(envelope);
        expect(why(await present(text))).to.equal(expected);
      }
      expect((await present(envelope)).status).to.equal(302);
    });

    it('reads a name with a comment in it as a whole', async () => {
      const envelope = await adminEnvelope(world);
      const opened = await present(envelope.replaceAll('>admin<', '>ad<!-- x -->min<'));
      expect(nameIn(await getToken('self', cookieOf(opened)))).to.equal('admin');
    });
  });

  it('returns 400 for a body that is no message, also one that is costly to read', async () => {
    const nested = '<a>'.repeat(60) + '</a>'.repeat(60);
    const entities = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>';
    const many = `<x>${'<a/>'.repeat(5000)}</x>`;
    for (const text of ['', 'x', '<x>', '<x/>', nested, entities, many, '<x>&b;</x>', '{}'])
      expect((await present(text)).status, text.slice(0, 20)).to.equal(400);
    expect((await present('x'.repeat(200_000))).status).to.equal(413);
    const soap = 'http://schemas.xmlsoap.org/soap/envelope/';
    const empty = `<s:Envelope xmlns:s="${soap}"><s:Body/></s:Envelope>`;
    expect(message(await present(empty))).to.equal(
      'The envelope must have one soap:Body/samlp:Response.',
    );
  });

  describe('with an assertion of an identity provider for tests', () => {
    beforeEach(async () => {
      await setUser(world, 'ann', { email: 'ann@partner', groups: ['a', 'b'], admin: true });
      await configure('partner', testIssuer, byName('email'));
    });

    const begin = () =>
      ask(world, 'GET', authPath('partner'), { token: null, headers: { ...host, ...ecpHeaders } });
    const log = (text: string, credentials = 'ann:pw', issuer = 'partner') =>
      ask(world, 'POST', `/saml/${issuer}/ecp`, {
        token: null,
        headers: {
          ...host,
          'content-type': 'text/xml',
          authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
        },
        body: text,
      });
    const withoutHeader = (text: string): string =>
      text.replace(/<soap:Header>.*<\/soap:Header>/s, '');
    const relayIn = (text: string): string => /<ecp:RelayState.*<\/ecp:RelayState>/s.exec(text)![0];
    /** The response of the provider with the relay state of the request, as a client sends it. */
    const answer = (request: string, response: string): string =>
      response.replace(/<ecp:Response.*<\/ecp:Response>/s, relayIn(request));

    it('asks for one, and redirects the client to where it began', async () => {
      const request = await begin();
      expect([request.status, request.headers['content-type']]).to.deep.equal([200, paos]);
      expect(request.text).to.include(`responseConsumerURL="${consumer}"`);
      const response = await log(withoutHeader(request.text));
      expect([response.status, response.headers['content-type']]).to.deep.equal([200, 'text/xml']);
      expect(response.text).to.include(`AssertionConsumerServiceURL="${consumer}"`);
      const opened = await present(answer(request.text, response.text));
      expect(opened.headers['location']).to.equal(`${site}${authPath('partner')}`);
      const token = await ask(world, 'GET', authPath('partner'), {
        token: null,
        headers: { ...host, ...ecpHeaders, cookie: `other=1; ${cookieOf(opened)}` },
      });
      expect(token.status).to.equal(201);
      expect(nameIn(token)).to.equal('ann@partner');
    });

    it('gives the claims of the user and the name to the mapping', async () => {
      const names = ['groups', 'admin', 'REMOTE_USER', 'Shib-Identity-Provider'];
      const remote = names.map((type) => ({ type }));
      const rules = [{ local: [{ user: { name: '{0} {1} {2} {3}' } }], remote }];
      const path = '/v3/OS-FEDERATION/mappings/partner';
      await ask(world, 'PATCH', path, { body: { mapping: { rules } } });
      const request = (await begin()).text;
      const opened = await present(answer(request, (await log(request)).text));
      expect(nameIn(await getToken('partner', cookieOf(opened)))).to.equal(
        `['a', 'b'] true ann ${testIssuer}`,
      );
    });

    it('lets no claim pose as what Apache says', async () => {
      const claims = { HTTP_OIDC_ISS: k2kIssuer, 'Shib-Identity-Provider': k2kIssuer };
      await setUser(world, 'eve', { ...claims, REMOTE_USER: 'root', email: 'eve' });
      await configure('self', k2kIssuer, byName('email'));
      const request = (await begin()).text;
      const cookie = cookieOf(await present(answer(request, (await log(request, 'eve:pw')).text)));
      expect((await getToken('self', cookie)).status).to.equal(403);
      expect(nameIn(await getToken('partner', cookie))).to.equal('eve');
    });

    it('refuses a response to another request, and one that comes too late', async () => {
      const [first, second] = [(await begin()).text, (await begin()).text];
      const response = (await log(first)).text;
      const other = '401 it does not answer the request of this client.';
      expect(why(await present(answer(second, response)))).to.equal(other);
      expect(why(await present(response))).to.equal(other);
      const late = (await log(second)).text;
      await world.setTime('2026-11-20T12:08:00Z');
      expect(why(await present(answer(second, late)))).to.equal('401 it has expired.');
      await world.setTime('2026-11-20T12:10:00Z');
      expect(why(await present(answer(second, late)))).to.equal(
        '401 the request that it answers has expired.',
      );
    });

    it('refuses an assertion for another service provider', async () => {
      const request = (await begin()).text;
      const other = request.replaceAll(`${site}/shibboleth`, 'https://other/shibboleth');
      expect(why(await present(answer(request, (await log(other)).text)))).to.equal(
        `401 the assertion is for https://other/shibboleth, not for ${site}/shibboleth.`,
      );
    });

    it('returns 401 for wrong passwords and users of other providers, 400 for no request', async () => {
      const request = (await begin()).text;
      for (const [credentials, issuer] of [
        ['ann:x', 'partner'],
        ['ann:pw', 'elsewhere'],
        ['ben:pw', 'partner'],
      ] as const) {
        const reply = await log(request, credentials, issuer);
        expect(reply.status).to.equal(401);
        expect(reply.headers['www-authenticate']).to.equal(`Basic realm="${issuer}"`);
      }
      expect((await log('<x/>')).status).to.equal(400);
      const without = request.replace(/AssertionConsumerServiceURL="[^"]*"/, '');
      expect((await log(without)).status).to.equal(400);
    });

    it('asks for none at an unknown protocol, or of a client that cannot get one', async () => {
      const at = (path: string, headers: object) =>
        ask(world, 'GET', path, { token: null, headers: { ...host, ...headers } });
      expect((await at(authPath('none'), ecpHeaders)).status).to.equal(404);
      expect((await at(authPath('partner'), {})).status).to.equal(401);
      expect((await at(authPath('partner'), { accept: paos })).status).to.equal(401);
    });
  });

  it('describes the cloud as a service provider', async () => {
    const reply = await ask(world, 'GET', '/Shibboleth.sso/Metadata', {
      token: null,
      headers: host,
    });
    expect(reply.headers['content-type']).to.equal('text/xml');
    expect(reply.text).to.include(`entityID="${site}/shibboleth"`);
    expect(reply.text).to.include(`Location="${consumer}"`);
  });

  it('signs in by POST /v3/auth/tokens with the cookie of a session', async () => {
    await registerSelf(world);
    await configure('self', k2kIssuer, byName('openstack_user'));
    await put(world, 'identity_providers/self/protocols/mapped', { mapping_id: 'self' });
    const cookie = cookieOf(await present(await adminEnvelope(world)));
    const mapped = { identity_provider: 'self', protocol: 'mapped' };
    const asked = { token: null, body: { auth: { identity: { methods: ['mapped'], mapped } } } };
    const path = '/v3/auth/tokens';
    expect((await ask(world, 'POST', path, asked)).status).to.equal(401);
    const reply = await ask(world, 'POST', path, { ...asked, headers: { cookie } });
    expect(reply.status).to.equal(201);
    expect(nameIn(reply)).to.equal('admin');
  });
});
