// The configuration of domains.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, make, message, signIn } from '../support.ts';

onEachDatabase('identity: domain configurations', {}, (world) => {
  describe('/v3/domains/{domain_id}/config', () => {
    const invalid = 'Invalid domain specific configuration: ';
    let path: string;
    let missing: (what: string) => string;
    beforeEach(async () => {
      const { id } = await make(world, 'domain', { name: 'd' });
      path = `/v3/domains/${id}/config`;
      missing = (what) => `Could not find ${what} in domain configuration for domain ${id}.`;
    });
    const send = (method: string, place: string, config: unknown) =>
      ask(world, method, `${path}${place}`, { body: { config } });

    it('is created, replaced, updated and deleted, as a whole and in parts', async () => {
      expect(message(await ask(world, 'GET', path))).to.equal(missing('any options'));
      const first = await send('PUT', '', {
        ldap: { url: 'u', password: 'p' },
        identity: { driver: 'ldap' },
      });
      expect(first.status).to.equal(201);
      expect(first.body.config).to.deep.equal({ ldap: { url: 'u' }, identity: { driver: 'ldap' } });
      expect((await send('PUT', '', { ldap: { url: 'v' } })).status).to.equal(200);
      expect((await ask(world, 'GET', path)).body.config).to.deep.equal({ ldap: { url: 'v' } });
      expect((await send('PATCH', '', { ldap: { suffix: 's' } })).body.config).to.deep.equal({
        ldap: { url: 'v', suffix: 's' },
      });
      expect((await send('PATCH', '/ldap', { ldap: { url: 'w' } })).body.config.ldap.url).to.equal(
        'w',
      );
      expect((await send('PATCH', '/ldap/url', { url: 'x' })).body.config.ldap.url).to.equal('x');
      expect((await ask(world, 'GET', `${path}/ldap/url`)).body.config).to.deep.equal({ url: 'x' });
      expect(message(await send('PATCH', '/ldap/page_size', { page_size: 5 }))).to.equal(
        missing('option page_size in group ldap'),
      );
      expect((await ask(world, 'DELETE', `${path}/ldap/url`)).status).to.equal(204);
      expect(message(await ask(world, 'DELETE', `${path}/ldap/url`))).to.equal(
        missing('option url in group ldap'),
      );
      expect((await ask(world, 'DELETE', `${path}/ldap`)).status).to.equal(204);
      expect(message(await ask(world, 'DELETE', `${path}/ldap`))).to.equal(missing('group ldap'));
      expect((await ask(world, 'DELETE', path)).status).to.equal(204);
    });

    it('returns 403 for unsupported options, and for options other than those in the path', async () => {
      const refusal = async (place: string, config: unknown) =>
        message(await send('PATCH', place, config)).replace(invalid, '');
      await send('PUT', '', { ldap: { url: 'u' } });
      expect(await refusal('', {})).to.equal('No options specified.');
      expect(await refusal('', { ldap: 5 })).to.equal(
        'The value of group ldap specified in the config should be a dictionary of options.',
      );
      expect(await refusal('', { x: { url: 1 } })).to.equal(
        'Group x is not supported for domain specific configurations.',
      );
      expect(await refusal('', { ldap: { x: 1 } })).to.contain(
        'Option x in group ldap is not supported',
      );
      expect(await refusal('/ldap', { identity: { driver: 'x' } })).to.contain(
        'config provided contains group identity instead',
      );
      expect(await refusal('/ldap', { identity: { driver: 'x' }, ldap: { url: 'x' } })).to.contain(
        'and only that, group must be',
      );
      expect(await refusal('/ldap/url', { suffix: 'x' })).to.contain(
        'config provided contains option suffix instead',
      );
      expect(await refusal('/ldap/url', { suffix: 'x', url: 'x' })).to.contain(
        'so that, and only that, option must be specified',
      );
    });

    it('has defaults for administrators, and password requirements for everyone', async () => {
      const shown = async (place: string) =>
        (await ask(world, 'GET', `/v3/domains/${place}`)).body.config as object;
      expect(await shown('config/identity/default')).to.deep.equal({
        identity: { driver: 'sql', list_limit: null },
      });
      expect(await shown('config/ldap/url/default')).to.deep.equal({ url: 'ldap://localhost' });
      expect(await shown('config/default')).to.have.all.keys('ldap', 'identity');
      const secret = await ask(world, 'GET', '/v3/domains/config/ldap/password/default');
      expect(message(secret)).to.contain(
        'Reading the default for option password in group ldap is not supported',
      );
      const token = await signIn(world, { name: 'demo' });
      const compliance = await ask(world, 'GET', '/v3/domains/default/config/security_compliance', {
        token,
      });
      expect(compliance.body.config.security_compliance).to.deep.equal({
        password_regex: null,
        password_regex_description: null,
      });
      expect((await ask(world, 'GET', `${path}/security_compliance`, { token })).status).to.equal(
        403,
      );
      expect((await ask(world, 'GET', '/v3/domains/config/default', { token })).status).to.equal(
        403,
      );
    });
  });
});
