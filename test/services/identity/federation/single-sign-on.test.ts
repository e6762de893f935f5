// Single sign-on of browsers: to a provider for tests, back with a code, and on to the dashboard.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, message } from '../support.ts';
import { bearer, configure, put, rule, setUser } from './support.ts';

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: unknown;
  readonly headers: Record<string, string | string[] | undefined>;
}

onEachDatabase('identity: single sign-on', {}, (world) => {
  const dashboard = 'http://dashboard/auth/websso/';
  const origin = `origin=${encodeURIComponent(dashboard)}`;
  const byProtocol = '/v3/auth/OS-FEDERATION/websso/openid';
  const byProvider = '/v3/auth/OS-FEDERATION/identity_providers/partner/protocols/openid/websso';
  const host = 'http://cloud:6060';
  const partner = `${host}/identity/oidc/partner`;

  const get = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
    world.ask('identity', method, url.replace(/^http:\/\/[^/]+\//, '/'), {
      token: null,
      headers,
    }) as unknown as Promise<Answer>;
  const enter = (path: string, headers?: Record<string, string>, method?: string) =>
    get(`/identity${path}`, headers, method);
  const locationOf = (reply: Answer): URL => {
    expect(reply.status, reply.text).to.equal(302);
    return new URL(reply.headers['location'] as string);
  };
  const cookieOf = (reply: Answer): string =>
    ([reply.headers['set-cookie']].flat()[0] ?? '').split(';')[0]!;
  /** Signs a user in at the provider, and returns the URL that the browser is sent back to. */
  const backFrom = async (location: URL, name = 'ann'): Promise<URL> => {
    const authorization = `Basic ${Buffer.from(`${name}:pw`).toString('base64')}`;
    return locationOf(await get(location.href, { authorization }));
  };
  /** Begins a sign-in, and signs in at the provider. */
  const begin = async (path: string) => {
    const begun = await enter(path);
    const cookie = cookieOf(begun);
    return { cookie, back: await backFrom(locationOf(begun)) };
  };
  const settings = (body: object) =>
    world.http.put('/_emulator/identity/settings').send(body).expect(200);
  const errorOf = (reply: Answer): unknown => [reply.status, message(reply)];
  const unauthenticated = [401, 'The request you have made requires authentication.'];
  const validate = (token: string) =>
    ask(world, 'GET', '/v3/auth/tokens', { headers: { 'x-subject-token': token } });
  const fieldOf = (page: Answer, pattern: RegExp): string => pattern.exec(page.text)?.[1] ?? '';
  const tokenIn = (page: Answer): string =>
    fieldOf(page, /<input type="hidden" name="token" id="token" value="([^"]*)">/);

  beforeEach(async () => {
    await setUser(world, 'ann', { email: 'ann@partner' });
    await configure(world, [rule], { provider: { remote_ids: [partner] } });
    await settings({ trusted_dashboard: [dashboard] });
  });

  for (const [name, path] of [
    ['the protocol', byProtocol],
    ['the identity provider', byProvider],
  ] as const)
    it(`signs a browser in by the path of ${name}, and posts a token to the dashboard`, async () => {
      const begun = await enter(`${path}?${origin}`);
      const provider = locationOf(begun);
      expect(provider.pathname).to.equal('/identity/oidc/partner/authorize');
      expect(provider.searchParams.get('response_type')).to.equal('code');
      expect(begun.headers['set-cookie']![0]).to.match(/; HttpOnly; SameSite=Lax$/);
      const back = await backFrom(provider);
      expect(back.pathname).to.equal(`/identity${path}`);
      const page = await get(back.href, { cookie: `a=b; ${cookieOf(begun)}` });
      expect(page.status, page.text).to.equal(200);
      expect(page.headers['content-type']).to.match(/^text\/html/);
      expect(page.headers['cache-control']).to.equal('no-store');
      expect(page.headers['set-cookie']![0]).to.match(/^websso_[\w-]+=; .*Max-Age=0/);
      expect(fieldOf(page, /<form [^>]*action="([^"]*)" method="post">/)).to.equal(dashboard);
      const { token } = (await validate(tokenIn(page))).body;
      expect(token.methods).to.deep.equal(['openid']);
      expect(token.user.name).to.equal('ann');
      expect(token).to.not.have.any.keys('project', 'roles');
      expect(token.user['OS-FEDERATION'].identity_provider).to.deep.equal({ id: 'partner' });
    });

  it('needs no provider for a request with an assertion', async () => {
    const authorization = await bearer(world, 'ann');
    const payload = Buffer.from(authorization.split('.')[1]!, 'base64url').toString();
    const { iss } = JSON.parse(payload) as { iss: string };
    await ask(world, 'PATCH', '/v3/OS-FEDERATION/identity_providers/partner', {
      body: { identity_provider: { remote_ids: [iss] } },
    });
    for (const path of [byProtocol, byProvider])
      for (const method of ['GET', 'POST']) {
        const page = await enter(`${path}?${origin}`, { authorization }, method);
        expect(page.status, page.text).to.equal(200);
        expect((await validate(tokenIn(page))).status).to.equal(200);
      }
  });

  it('returns 401 for an untrusted origin and 400 for none, before and after signing in', async () => {
    for (const path of [byProtocol, byProvider]) {
      const other = `${path}?origin=http://elsewhere/auth/websso/`;
      expect(errorOf(await enter(other))).to.deep.equal(unauthenticated);
      const missing = [400, 'Request must have an origin query parameter'];
      expect(errorOf(await enter(path))).to.deep.equal(missing);
      expect(errorOf(await enter(`${path}?origin=`))).to.deep.equal(missing);
      const { cookie, back } = await begin(`${path}?${origin}`);
      await settings({ trusted_dashboard: [] });
      expect(errorOf(await get(back.href, { cookie }))).to.deep.equal(unauthenticated);
      await settings({ trusted_dashboard: [dashboard] });
    }
  });

  it('compares an origin that is encoded twice, and trusted URLs with their host in lower case', async () => {
    await settings({ trusted_dashboard: ['http://Dashboard:80/Auth?a=b+c'] });
    const url = 'http://dashboard:80/Auth?a=b+c';
    const encoded = encodeURIComponent(encodeURIComponent(url));
    expect((await enter(`${byProtocol}?origin=${encoded}`)).status).to.equal(302);
    for (const wrong of [url, 'http://Dashboard:80/Auth?a=b%2Bc', 'http://dashboard:80/auth'])
      expect((await enter(`${byProtocol}?origin=${encodeURIComponent(wrong)}`)).status).to.equal(
        401,
      );
  });

  it('returns 401 without an entity id, before it checks the origin', async () => {
    const other = '/v3/auth/OS-FEDERATION/websso/other';
    for (const headers of [{}, { authorization: await bearer(world, 'ann') }])
      expect(errorOf(await enter(other, headers))).to.deep.equal(unauthenticated);
    const reply = await enter(`${byProtocol}?${origin}`, { authorization: 'Bearer x' });
    expect(errorOf(reply)).to.deep.equal(unauthenticated);
  });

  it('returns 404 if no identity provider has the remote id of an assertion', async () => {
    const authorization = await bearer(world, 'ann');
    const reply = await enter(`${byProtocol}?${origin}`, { authorization });
    expect(reply.status).to.equal(404);
    expect(message(reply)).to.match(/^Could not find Identity Provider: http.*\/oidc\/partner\.$/);
  });

  it('returns 404 for an unknown identity provider or protocol, 403 for a disabled one', async () => {
    const at = (path: string) => enter(`${path}?${origin}`);
    expect((await at(byProvider.replace('partner', 'none'))).status).to.equal(404);
    expect((await at(byProvider.replace('openid', 'mapped'))).status).to.equal(404);
    await ask(world, 'PATCH', '/v3/OS-FEDERATION/identity_providers/partner', {
      body: { identity_provider: { enabled: false } },
    });
    expect((await at(byProvider)).status).to.equal(403);
    expect(errorOf(await at(byProtocol))).to.deep.equal(unauthenticated);
  });

  it('shows a page to choose from if there are several providers', async () => {
    const second = { enabled: true, remote_ids: [`${host}/identity/oidc/a"b`, 'https://x/saml'] };
    await put(world, 'identity_providers/sec<ond', second);
    await put(world, 'identity_providers/sec<ond/protocols/openid', { mapping_id: 'm' });
    const page = await enter(`${byProtocol}?${origin}`);
    expect(page.status).to.equal(200);
    const links = [...page.text.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g)];
    expect(links.map(([, , text]) => text)).to.deep.equal(['partner', 'sec&lt;ond']);
    const [, target] = links[1]!.map((text) => text.replaceAll('&amp;', '&'));
    const provider = locationOf(await enter(`${byProtocol}${target}`));
    expect(provider.pathname).to.equal('/identity/oidc/a%22b/authorize');
    expect((await enter(`${byProvider}?${origin}`)).status).to.equal(302);
    const unknown = `${byProtocol}?${origin}&iss=${encodeURIComponent('https://x/saml')}`;
    expect(errorOf(await enter(unknown))).to.deep.equal(unauthenticated);
  });

  it('takes any issuer for an identity provider without remote ids', async () => {
    await ask(world, 'PATCH', '/v3/OS-FEDERATION/identity_providers/partner', {
      body: { identity_provider: { remote_ids: [] } },
    });
    const url = `${byProvider}?${origin}&iss=${encodeURIComponent(partner)}`;
    const { cookie, back } = await begin(url);
    const page = await get(back.href, { cookie });
    expect((await validate(tokenIn(page))).status).to.equal(200);
    expect(errorOf(await enter(`${byProvider}?${origin}`))).to.deep.equal(unauthenticated);
  });

  describe('a browser that comes back', () => {
    const expired =
      'The single sign-on has expired or ended, or was begun by another browser. Begin again.';

    it('signs in once', async () => {
      const { cookie, back } = await begin(`${byProtocol}?${origin}`);
      const replies = await Promise.all([get(back.href, { cookie }), get(back.href, { cookie })]);
      expect(replies.map(({ status }) => status)).to.have.members([200, 400]);
      expect(errorOf(await get(back.href, { cookie }))).to.deep.equal([400, expired]);
    });

    it('is the one that began, within five minutes, at the same URL', async () => {
      const first = await begin(`${byProtocol}?${origin}`);
      const second = await begin(`${byProtocol}?${origin}`);
      const refused = async (url: URL, cookie?: string): Promise<void> => {
        const reply = await get(url.href, cookie === undefined ? {} : { cookie });
        expect(errorOf(reply), url.href).to.deep.equal([400, expired]);
      };
      await refused(first.back);
      await refused(first.back, second.cookie);
      await refused(first.back, `${first.cookie}x`);
      const renamed = `${first.cookie.split('=')[0]}=${second.cookie.split('=')[1]}`;
      await refused(first.back, renamed);
      const atProvider = new URL(first.back);
      atProvider.pathname = `/identity${byProvider}`;
      await refused(atProvider, first.cookie);
      const elsewhere = new URL(first.back);
      elsewhere.searchParams.set('origin', 'http://elsewhere/');
      await refused(elsewhere, first.cookie);
      await world.http.post('/_emulator/clock/advance').send({ seconds: 299 }).expect(200);
      expect((await get(second.back.href, { cookie: second.cookie })).status).to.equal(401);
      await world.http.post('/_emulator/clock/advance').send({ seconds: 1 }).expect(200);
      await refused(first.back, first.cookie);
    });

    it('brings the code of the sign-in that it began', async () => {
      const first = await begin(`${byProtocol}?${origin}`);
      const second = await begin(`${byProtocol}?${origin}`);
      const mixed = new URL(first.back);
      mixed.searchParams.set('code', second.back.searchParams.get('code')!);
      const reply = await get(mixed.href, { cookie: first.cookie });
      expect(errorOf(reply)).to.deep.equal(unauthenticated);
      mixed.searchParams.set('code', 'x');
      const other = await get(mixed.href, { cookie: first.cookie });
      expect(errorOf(other)).to.deep.equal(unauthenticated);
      expect((await get(second.back.href, { cookie: second.cookie })).status).to.equal(200);
    });
  });

  describe('the page for the dashboard', () => {
    it('is a template of the settings, with escaped values', async () => {
      const url = 'http://dashboard/?a="<b>&c';
      const template = '<form action="${host}">$token costs $$1</form>';
      await settings({ trusted_dashboard: [url], sso_callback_template: template });
      const { cookie, back } = await begin(`${byProtocol}?origin=${encodeURIComponent(url)}`);
      const page = await get(back.href, { cookie });
      const [, action, token] =
        /^<form action="([^"]*)">(\S*) costs \$1<\/form>$/.exec(page.text) ?? [];
      expect(action).to.equal('http://dashboard/?a=&quot;&lt;b&gt;&amp;c');
      expect((await validate(token!)).status).to.equal(200);
    });

    it('is refused as a template that lacks a value or has another one', async () => {
      for (const template of ['$host', '$host $token $x', '$host $token $', '$Host $token'])
        await world.http
          .put('/_emulator/identity/settings')
          .send({ sso_callback_template: template })
          .expect(400);
      for (const url of ['javascript:alert(1)', 'dashboard'])
        await world.http
          .put('/_emulator/identity/settings')
          .send({ trusted_dashboard: [url] })
          .expect(400);
    });
  });
});
