// Standard and custom traits, and the traits of providers.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { senderFor, expectRefusal, makeProvider, newest, provider } from './helpers.ts';

const noon = { 'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT', 'cache-control': 'no-cache' };
const changed =
  "Resource provider's generation already changed. Please update the generation and try again.";
const invalid =
  'The trait is invalid. A valid trait must be no longer than 255 characters, start with the ' +
  'prefix "CUSTOM_" and use following characters: "A"-"Z", "0"-"9" and "_"';

onEachDatabase('Placement: traits', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const one = provider(1);
  const make = async (...names: string[]): Promise<void> => {
    for (const name of names) await send(`PUT /traits/${name}`, '1.6').expect(201);
  };
  const list = async (query: string, version = newest): Promise<string[]> =>
    (await send(`GET /traits?${query}`, version).expect(200)).body.traits as string[];

  describe('GET /traits', () => {
    it('lists the standard traits and the custom ones', async () => {
      await make('CUSTOM_A');
      const traits = await list('', '1.6');
      expect(traits).to.include.members([
        'HW_CPU_X86_VMX',
        'COMPUTE_NODE',
        'MISC_SHARES_VIA_AGGREGATE',
        'STORAGE_DISK_SSD',
        'OWNER_NOVA',
        'CUSTOM_A',
      ]);
      expect(new Set(traits).size).to.equal(traits.length);
      expect(traits.length).to.be.greaterThan(340);
    });

    it('returns the time of the newest trait, or the current time, as Last-Modified', async () => {
      await world.setTime('2026-11-20T13:00:00Z');
      await make('CUSTOM_A');
      await world.setTime('2026-11-20T14:00:00Z');
      const { headers } = await send('GET /traits', '1.15').expect(200);
      expect(headers).to.include({
        'last-modified': 'Fri, 20 Nov 2026 13:00:00 GMT',
        'cache-control': 'no-cache',
      });
      const none = await send('GET /traits?name=in:NOPE', '1.15').expect(200);
      expect(none.headers['last-modified']).to.equal('Fri, 20 Nov 2026 14:00:00 GMT');
    });

    it('filters by a list of names, and ignores unknown ones', async () => {
      await make('CUSTOM_A', 'CUSTOM_B');
      expect(await list('name=in:CUSTOM_A,CUSTOM_NOPE,HW_CPU_X86_VMX')).to.have.members([
        'CUSTOM_A',
        'HW_CPU_X86_VMX',
      ]);
      expect(await list('name=in:')).to.deep.equal([]);
      expect(await list('name=in:CUSTOM_A&name=in:CUSTOM_B'), 'the last counts').to.deep.equal([
        'CUSTOM_B',
      ]);
    });

    it('filters by prefix in any case, with _ and % as wildcards', async () => {
      await make('CUSTOM_A', 'CUSTOM_B');
      for (const prefix of ['CUSTOM', 'custom', 'CUSTOM_', 'C%25TOM_', 'CUS_OM'])
        expect(await list(`name=startswith:${prefix}`), prefix).to.have.members([
          'CUSTOM_A',
          'CUSTOM_B',
        ]);
      expect(await list('name=startswith:CUSTOM_B')).to.deep.equal(['CUSTOM_B']);
      expect(await list('name=startswith:CUSTOM|')).to.deep.equal([]);
      expect((await list('name=startswith:')).length).to.be.greaterThan(340);
    });

    it('ignores an unknown operator, and returns 400 for a name without an operator', async () => {
      expect((await list('name=foo:bar')).length).to.be.greaterThan(340);
      const expected =
        'Badly formatted name parameter. Expected name query string parameter in form: ' +
        '?name=[in|startswith]:[name1,name2|prefix].';
      for (const name of ['foo', ''])
        expectRefusal(
          await send(`GET /traits?name=${name}`, newest),
          400,
          `${expected} Got: "${name}"`,
        );
    });

    it('filters by whether any provider has the trait', async () => {
      await makeProvider(send, one, { traits: ['CUSTOM_A', 'HW_CPU_X86_VMX'] });
      await make('CUSTOM_B');
      for (const value of ['true', 'True', 'TRUE'])
        expect(await list(`associated=${value}`)).to.have.members(['CUSTOM_A', 'HW_CPU_X86_VMX']);
      expect(await list('associated=false&name=startswith:CUSTOM')).to.deep.equal(['CUSTOM_B']);
      for (const value of ['yes', '']) {
        expectRefusal(
          await send(`GET /traits?associated=${value}`, newest),
          400,
          'The query parameter "associated" only accepts "true" or "false"',
        );
      }
    });

    it('returns 400 for other parameters', async () => {
      expectRefusal(
        await send('GET /traits?limit=1', newest),
        400,
        /^Invalid query string parameters: Additional properties are not allowed \('limit' was unexpected\)/,
      );
    });

    it('returns 404 before 1.6', async () => {
      expectRefusal(await send('GET /traits', '1.5'), 404, '');
    });
  });

  describe('GET /traits/{name}', () => {
    it('returns 204 for an existing trait', async () => {
      const { headers, text } = await send('GET /traits/HW_CPU_X86_VMX', '1.15').expect(204);
      expect(text).to.equal('');
      expect(headers['cache-control']).to.equal('no-cache');
      expect(headers['last-modified']).to.match(/GMT$/);
      expect(headers).to.not.have.property('content-type');
    });

    it('returns 404 for an unknown trait, and for a name in lower case', async () => {
      for (const name of ['CUSTOM_NOPE', 'hw_cpu_x86_vmx'])
        expectRefusal(await send(`GET /traits/${name}`, newest), 404, `No such trait(s): ${name}.`);
    });
  });

  describe('PUT /traits/{name}', () => {
    it('returns 201 for a new trait, and 204 for an existing one', async () => {
      const made = await send('PUT /traits/CUSTOM_A', '1.15').expect(201);
      await world.setTime('2026-11-20T14:00:00Z');
      const found = await send('PUT /traits/CUSTOM_A', '1.15').expect(204);
      for (const { headers, text } of [made, found]) {
        expect(headers['location']).to.match(/^http:\/\/[^/]+\/placement\/traits\/CUSTOM_A$/);
        expect(headers).to.include(noon);
        expect(headers).to.not.have.property('content-type');
        expect(text).to.equal('');
      }
    });

    it('ignores the body', async () => {
      await send('PUT /traits/CUSTOM_A', newest, {
        body: 'no json',
        headers: { 'content-type': 'text/plain' },
      }).expect(201);
    });

    it('returns 400 for a name without CUSTOM_, even of a standard trait', async () => {
      for (const name of [
        'CUSTOM_',
        'CUSTOM_a',
        'HW_CPU_X86_VMX',
        'FOO',
        `CUSTOM_${'X'.repeat(249)}`,
      ])
        expectRefusal(await send(`PUT /traits/${name}`, newest), 400, invalid);
      await send(`PUT /traits/CUSTOM_${'X'.repeat(248)}`, newest).expect(201);
    });

    it('creates different traits concurrently', async () => {
      const names = ['A', 'B', 'C', 'D', 'E'].map((letter) => `CUSTOM_${letter}`);
      const answers = await Promise.all(names.map((name) => send(`PUT /traits/${name}`, newest)));
      expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 201, 201, 201]);
      expect(await list('name=startswith:CUSTOM')).to.have.members(names);
    });
  });

  describe('DELETE /traits/{name}', () => {
    it('deletes a custom trait', async () => {
      await make('CUSTOM_A');
      const { headers } = await send('DELETE /traits/CUSTOM_A', newest).expect(204);
      expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
      expectRefusal(
        await send('DELETE /traits/CUSTOM_A', newest),
        404,
        'No such trait(s): CUSTOM_A.',
      );
    });

    it('returns 400 for a standard trait', async () => {
      await makeProvider(send, one, { traits: ['CUSTOM_A'] });
      expectRefusal(
        await send('DELETE /traits/HW_CPU_X86_VMX', newest),
        400,
        'Cannot delete standard trait HW_CPU_X86_VMX.',
      );
    });

    it('returns 409 for a trait in use', async () => {
      await makeProvider(send, one, { traits: ['CUSTOM_A'] });
      expectRefusal(
        await send('DELETE /traits/CUSTOM_A', newest),
        409,
        'The trait CUSTOM_A is in use by a resource provider.',
      );
    });
  });

  describe('traits of a provider', () => {
    const path = `/resource_providers/${one}/traits`;
    const put = (traits: unknown, generation: unknown, rest: object = {}) =>
      send(`PUT ${path}`, newest, {
        body: { traits, resource_provider_generation: generation, ...rest },
      });

    it('are replaced by PUT, and returned by GET', async () => {
      await makeProvider(send, one);
      await make('CUSTOM_A');
      const set = await put(['CUSTOM_A', 'HW_CPU_X86_VMX'], 0).expect(200);
      expect(set.body).to.have.all.keys('traits', 'resource_provider_generation');
      expect(set.body.traits).to.have.members(['CUSTOM_A', 'HW_CPU_X86_VMX']);
      expect(set.body.resource_provider_generation).to.equal(1);
      expect(set.headers).to.include({ 'cache-control': 'no-cache' });
      expect(set.headers['last-modified']).to.be.a('string');
      const shown = await send(`GET ${path}`, '1.6').expect(200);
      expect(shown.body).to.deep.equal(set.body);
      expect((await put(['HW_CPU_X86_VMX'], 1).expect(200)).body).to.deep.equal({
        traits: ['HW_CPU_X86_VMX'],
        resource_provider_generation: 2,
      });
    });

    it('increment the generation only if the set changes', async () => {
      await makeProvider(send, one);
      await make('CUSTOM_A', 'CUSTOM_B');
      await put(['CUSTOM_A', 'CUSTOM_B'], 0).expect(200);
      expect(
        (await put(['CUSTOM_B', 'CUSTOM_A', 'CUSTOM_A'], 1).expect(200)).body
          .resource_provider_generation,
      ).to.equal(1);
      expect((await put([], 1).expect(200)).body).to.deep.equal({
        traits: [],
        resource_provider_generation: 2,
      });
      expect((await put([], 2).expect(200)).body.resource_provider_generation).to.equal(2);
    });

    it('return the time of the newest trait, or the current time, as Last-Modified', async () => {
      await makeProvider(send, one);
      await world.setTime('2026-11-20T13:00:00Z');
      await make('CUSTOM_A');
      await world.setTime('2026-11-20T14:00:00Z');
      expect((await put(['CUSTOM_A'], 0).expect(200)).headers['last-modified']).to.equal(
        'Fri, 20 Nov 2026 13:00:00 GMT',
      );
      expect((await put([], 1).expect(200)).headers['last-modified']).to.equal(
        'Fri, 20 Nov 2026 14:00:00 GMT',
      );
    });

    it('return 409 for a stale generation before 400 for unknown names', async () => {
      await makeProvider(send, one);
      expectRefusal(await put(['CUSTOM_NOPE'], 7), 409, changed, 'placement.concurrent_update');
      expectRefusal(
        await put(['CUSTOM_NOPE', 'HW_CPU_X86_VMX'], 0),
        400,
        'No such trait CUSTOM_NOPE',
      );
      expectRefusal(
        await put(['CUSTOM_NOPE', 'CUSTOM_NIX'], 0),
        400,
        /^No such trait (CUSTOM_NOPE, CUSTOM_NIX|CUSTOM_NIX, CUSTOM_NOPE)$/,
      );
    });

    it('return 400 for an invalid body before all other errors', async () => {
      for (const [traits, rest, message] of [
        ['x', {}, /'x' is not of type 'array'/],
        [[''], {}, /Failed validating 'minLength' in schema/],
        [['x'.repeat(256)], {}, /Failed validating 'maxLength' in schema/],
        [[5], {}, /5 is not of type 'string'/],
        [[], { z: 1 }, /'z' was unexpected/],
      ] as const) {
        expectRefusal(await put(traits, 0, rest), 400, message);
      }
      expectRefusal(
        await send(`PUT ${path}`, newest, { body: { traits: [] } }),
        400,
        /'resource_provider_generation' is a required property/,
      );
      expectRefusal(await put([], 0), 404, `No resource provider with uuid ${one} found`);
    });

    it('are all removed by DELETE, which increments the generation if there were any', async () => {
      await makeProvider(send, one, { traits: ['HW_CPU_X86_VMX'] });
      const { headers, text } = await send(`DELETE ${path}`, newest).expect(204);
      expect(text).to.equal('');
      expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
      expect((await send(`GET ${path}`, newest).expect(200)).body).to.deep.equal({
        traits: [],
        resource_provider_generation: 2,
      });
      await send(`DELETE ${path}`, newest).expect(204);
      expect(
        (await send(`GET ${path}`, newest).expect(200)).body.resource_provider_generation,
      ).to.equal(2);
    });

    it('return 404 for an unknown provider', async () => {
      const message = `No resource provider with uuid ${one} found`;
      expectRefusal(await send(`GET ${path}`, newest), 404, `${message}: ${message}`);
      expectRefusal(await send(`DELETE ${path}`, newest), 404, message);
    });

    it('return 404 before 1.6', async () => {
      await makeProvider(send, one);
      for (const method of ['GET', 'PUT', 'DELETE'])
        expectRefusal(await send(`${method} ${path}`, '1.5'), 404, '');
    });

    it('are replaced by only one of several concurrent requests', async () => {
      await makeProvider(send, one);
      await make('CUSTOM_A', 'CUSTOM_B', 'CUSTOM_C');
      const answers = await Promise.all(
        ['CUSTOM_A', 'CUSTOM_B', 'CUSTOM_C'].map((name) => put([name], 0)),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409]);
      expect((await send(`GET ${path}`, newest).expect(200)).body.traits).to.have.length(1);
    });
  });
});
