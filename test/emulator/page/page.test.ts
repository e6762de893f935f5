// Tests of how the emulator serves its page, and of the requests that the page marks as its own.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

onEachDatabase('GET /_emulator/ui', {}, (world) => {
  it('returns a document that loads only its own script and styles', async () => {
    const { text, headers } = await world.http.get('/_emulator/ui/').expect(200);
    expect(headers['content-type']).to.equal('text/html; charset=utf-8');
    const loaded = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url!);
    for (const url of loaded) {
      expect(url).to.match(/^\/_emulator\//);
      await world.http.get(url).expect(200);
    }
    expect(text).not.to.match(/<script(?![^>]* src=)|<style| on\w+=/);
  });

  it('forbids inline scripts, other origins and frames', async () => {
    const { headers } = await world.http.get('/_emulator/ui/').expect(200);
    expect(String(headers['content-security-policy']).split('; ')).to.include.members([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
    ]);
    expect(headers['x-content-type-options']).to.equal('nosniff');
  });

  for (const path of ['/_emulator/ui', '/_emulator/ui/hosts?region=RegionOne'])
    it(`returns the document at ${path}`, async () => {
      const { text } = await world.http.get(path).expect(200);
      expect(text).to.equal((await world.http.get('/_emulator/ui/')).text);
    });

  it('returns 304 to a client that has the file', async () => {
    const { headers } = await world.http.get('/_emulator/ui/page.js').expect(200);
    const etag = headers['etag']!;
    expect(headers['content-type']).to.equal('text/javascript; charset=utf-8');
    await world.http.get('/_emulator/ui/page.js').set('if-none-match', etag).expect(304);
    await world.http.get('/_emulator/ui/page.js').set('if-none-match', '"other"').expect(200);
  });

  for (const file of ['unknown.js', '..%2Fmain.js', '..%2F..%2Fpackage.json', 'index.map'])
    it(`returns 404 for ${file}`, async () => {
      await world.http.get(`/_emulator/ui/${file}`).expect(404);
    });

  for (const sent of [{ host: 'evil.example' }, { origin: 'http://evil.example' }])
    it(`returns 403 for the ${Object.keys(sent)[0]} of another machine`, async () => {
      await world.http
        .get('/_emulator/ui/')
        .set(sent as Record<string, string>)
        .expect(403);
    });
});

onEachDatabase('GET / of a browser', {}, (world) => {
  it('redirects to the page', async () => {
    const { headers } = await world.http.get('/').set('accept', browser).expect(302);
    expect(headers).to.include({ location: '/_emulator/ui/', vary: 'Accept' });
  });

  it('returns JSON to other clients', async () => {
    const { body } = await world.http.get('/').set('accept', 'application/json').expect(200);
    expect(body).to.have.property('regions');
  });

  it('returns a page without a script under the name of another machine', async () => {
    const { text } = await world.http
      .get('/')
      .set({ accept: browser, host: 'cloud.example' })
      .expect(200);
    expect(text).to.include('<h1>Cumulet</h1>');
  });
});

onEachDatabase(
  'the page of an emulator with a control token',
  { controlToken: 'open sesame', adminPassword: 'own' },
  (world) => {
    it('needs no token for its files, and one for everything else', async () => {
      await world.http.get('/_emulator/ui/').set('host', 'cloud.example').expect(200);
      await world.http.get('/_emulator/ui/page.js').expect(200);
      await world.http.get('/_emulator/changes?seconds=0').expect(403);
      await world.http.get('/_emulator/uix').expect(403);
      await world.http.post('/_emulator/ui').expect(403);
    });

    it('leaves requests of the page out of the journal only with the token', async () => {
      const token = { 'x-control-token': 'open sesame' };
      await world.http.put('/_emulator/requests').set(token).send({ keep: 10 }).expect(200);
      await world.http.get('/identity/v3').set('x-cumulet-page', '1').expect(200);
      await world.http
        .get('/identity/v3')
        .set({ 'x-cumulet-page': '1', ...token })
        .expect(200);
      const { body } = await world.http.get('/_emulator/requests').set(token).expect(200);
      expect((body as { requests: object[] }).requests).to.have.length(1);
    });
  },
);

onEachDatabase('requests of the page', { auth: 'noauth2' }, (world) => {
  const marked = { 'x-cumulet-page': '1' };
  const list = (headers: Record<string, string> = {}) =>
    world.ask('compute', 'GET', '/compute/v2.1/servers', { headers });
  const recorded = async (): Promise<unknown[]> => {
    const { body } = await world.http.get('/_emulator/requests?inside=any').expect(200);
    return (body as { requests: unknown[] }).requests;
  };

  it('are left out of the journal and of assertions', async () => {
    await world.http.put('/_emulator/requests').send({ keep: 10 }).expect(200);
    await list(marked).expect(200);
    expect(await recorded()).to.deep.equal([]);
    const assertion = { match: { service: 'compute' }, times: 0 };
    await world.http.post('/_emulator/requests/assert').send(assertion).expect(200);
    await list().expect(200);
    expect(await recorded()).to.have.length(1);
  });

  it('are left out of the journal with the calls that they cause', async () => {
    await world.http.put('/_emulator/requests').send({ keep: 10 }).expect(200);
    const images = '/compute/v2.1/images';
    await world.ask('compute', 'GET', images, { version: '2.1', headers: marked }).expect(200);
    expect(await recorded()).to.deep.equal([]);
    await world.ask('compute', 'GET', images, { version: '2.1' }).expect(200);
    expect(await recorded()).to.have.length.greaterThan(1);
  });

  it('are left out of the metrics', async () => {
    const counted = async (): Promise<string | undefined> =>
      /^cumulet_requests_total\{service="compute".*operation="servers:list".*$/m.exec(
        (await world.http.get('/_emulator/metrics')).text,
      )?.[0];
    const before = await counted();
    await list(marked).expect(200);
    expect(await counted()).to.equal(before);
    await list().expect(200);
    expect(await counted()).not.to.equal(before);
  });

  it('match no fault rule, and count for none', async () => {
    const rule = { match: { service: 'compute' }, effect: { status: 503 }, count: 1 };
    await world.http.post('/_emulator/faults').send(rule).expect(201);
    await list(marked).expect(200);
    await list().expect(503);
  });

  it('are ordinary requests if their client may not use /_emulator', async () => {
    await world.http.put('/_emulator/requests').send({ keep: 10 }).expect(200);
    // Requests of the test before this one may not have been written yet.
    await world.http.delete('/_emulator/requests').expect(204);
    await list({ ...marked, 'x-forwarded-for': '10.0.0.1' });
    await list({ ...marked, via: '1.1 proxy' });
    expect(await recorded()).to.have.length(2);
  });
});
