// Tests of the page without a script, which browsers get at /_emulator/.
import { expect } from 'chai';
import { packageVersion } from '../../src/kernel/package-root.ts';
import { onEachDatabase } from '../support/cloud.ts';

const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

onEachDatabase('front page', { regions: ['CentralRegion', 'RegionOne', 'RegionTwo'] }, (world) => {
  for (const path of ['/_emulator/', '/_emulator'])
    describe(`GET ${path}`, () => {
      it('returns a page for browsers', async () => {
        const { text, headers } = await world.http
          .get(path)
          .set('accept', accept)
          .expect(200)
          .expect('content-type', 'text/html; charset=utf-8');
        expect(headers['content-security-policy']).to.include("default-src 'none'");
        expect(text).to.include(`Cumulet ${packageVersion()}`);
        expect(text).to.match(/eval "\$\(curl -sS http:\/\/127\.0\.0\.1:\d+\/_emulator\/openrc\)"/);
        expect(text).not.to.match(/<script|secret/);
      });

      it('links services that answer', async () => {
        const { text } = await world.http.get(path).set('accept', accept);
        const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link]) => link!);
        expect(links).to.include.members(['/identity', '/compute', '/RegionTwo/compute']);
        expect(links).to.include.members(['/CentralRegion/compute', '/tricircle']);
        for (const link of links)
          expect((await world.http.get(link)).status, link).to.be.oneOf([200, 300, 401]);
      });

      it('returns JSON to other clients', async () => {
        const { body } = await world.http.get(path).set('accept', '*/*').expect(200);
        expect((body as { regions: string[] }).regions).to.have.length(3);
      });
    });

  it('shows no markup from the headers of the client', async () => {
    const { text } = await world.http
      .get('/')
      .set('accept', accept)
      .set('x-forwarded-proto', 'x"><script>&')
      .expect(200);
    expect(text).not.to.include('<script>');
  });
});
