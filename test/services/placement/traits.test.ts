// Traits: the standard ones, the custom ones, and which provider has which.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { asking, expectRefusal, makeProvider, newest, provider } from './makers.ts';

const noon = { 'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT', 'cache-control': 'no-cache' };
const changed =
  "Resource provider's generation already changed. Please update the generation and try again.";
const invalid =
  'The trait is invalid. A valid trait must be no longer than 255 characters, start with the prefix "CUSTOM_" and use following characters: "A"-"Z", "0"-"9" and "_"';

onEachDatabase('Placement: traits', { auth: 'noauth2' }, (world) => {
  const ask = asking(world);
  const one = provider(1);
  const make = async (...names: string[]): Promise<void> => {
    for (const name of names) await ask(`PUT /traits/${name}`, '1.6').expect(201);
  };
  const list = async (query: string, version = newest): Promise<string[]> =>
    (await ask(`GET /traits?${query}`, version).expect(200)).body.traits as string[];

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

    it('says when the newest of them came, or that there is none now', async () => {
      await world.setTime('2026-11-20T13:00:00Z');
      await make('CUSTOM_A');
      await world.setTime('2026-11-20T14:00:00Z');
      const { headers } = await ask('GET /traits', '1.15').expect(200);
      expect(headers).to.include({
        'last-modified': 'Fri, 20 Nov 2026 13:00:00 GMT',
        'cache-control': 'no-cache',
      });
      const none = await ask('GET /traits?name=in:NOPE', '1.15').expect(200);
      expect(none.headers['last-modified']).to.equal('Fri, 20 Nov 2026 14:00:00 GMT');
    });

    it('picks by name: those of a list that there are', async () => {
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

    it('picks by prefix, in small letters too; _ and % stand for anything', async () => {
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

    it('filters nothing for an operator that it does not know, and refuses a name without one', async () => {
      expect((await list('name=foo:bar')).length).to.be.greaterThan(340);
      const expected =
        'Badly formatted name parameter. Expected name query string parameter in form: ?name=[in|startswith]:[name1,name2|prefix].';
      for (const name of ['foo', ''])
        expectRefusal(
          await ask(`GET /traits?name=${name}`, newest),
          400,
          `${expected} Got: "${name}"`,
        );
    });

    it('picks those that some provider has, or none has', async () => {
      await makeProvider(ask, one, { traits: ['CUSTOM_A', 'HW_CPU_X86_VMX'] });
      await make('CUSTOM_B');
      for (const value of ['true', 'True', 'TRUE'])
        expect(await list(`associated=${value}`)).to.have.members(['CUSTOM_A', 'HW_CPU_X86_VMX']);
      expect(await list('associated=false&name=startswith:CUSTOM')).to.deep.equal(['CUSTOM_B']);
      for (const value of ['yes', '']) {
        expectRefusal(
          await ask(`GET /traits?associated=${value}`, newest),
          400,
          'The query parameter "associated" only accepts "true" or "false"',
        );
      }
    });

    it('refuses other parameters, and versions before 1.6', async () => {
      expectRefusal(
        await ask('GET /traits?limit=1', newest),
        400,
        /^Invalid query string parameters: Additional properties are not allowed \('limit' was unexpected\)/,
      );
      expectRefusal(await ask('GET /traits', '1.5'), 404, '');
    });
  });

  describe('GET /traits/{name}', () => {
    it('says with an empty answer that there is one', async () => {
      const { headers, text } = await ask('GET /traits/HW_CPU_X86_VMX', '1.15').expect(204);
      expect(text).to.equal('');
      expect(headers['cache-control']).to.equal('no-cache');
      expect(headers['last-modified']).to.match(/GMT$/);
      expect(headers).to.not.have.property('content-type');
    });

    it('refuses one that there is not, and small letters', async () => {
      for (const name of ['CUSTOM_NOPE', 'hw_cpu_x86_vmx'])
        expectRefusal(await ask(`GET /traits/${name}`, newest), 404, `No such trait(s): ${name}.`);
    });
  });

  describe('PUT /traits/{name}', () => {
    it('makes a trait once, and then finds it there, with the time it came', async () => {
      const made = await ask('PUT /traits/CUSTOM_A', '1.15').expect(201);
      await world.setTime('2026-11-20T14:00:00Z');
      const found = await ask('PUT /traits/CUSTOM_A', '1.15').expect(204);
      for (const { headers, text } of [made, found]) {
        expect(headers['location']).to.match(/^http:\/\/[^/]+\/placement\/traits\/CUSTOM_A$/);
        expect(headers).to.include(noon);
        expect(headers).to.not.have.property('content-type');
        expect(text).to.equal('');
      }
    });

    it('does not look at the body', async () => {
      await ask('PUT /traits/CUSTOM_A', newest, {
        body: 'no json',
        headers: { 'content-type': 'text/plain' },
      }).expect(201);
    });

    it('refuses names that are no custom ones, standard ones among them', async () => {
      for (const name of [
        'CUSTOM_',
        'CUSTOM_a',
        'HW_CPU_X86_VMX',
        'FOO',
        `CUSTOM_${'X'.repeat(249)}`,
      ])
        expectRefusal(await ask(`PUT /traits/${name}`, newest), 400, invalid);
      await ask(`PUT /traits/CUSTOM_${'X'.repeat(248)}`, newest).expect(201);
    });

    it('makes different traits at the same time', async () => {
      const names = ['A', 'B', 'C', 'D', 'E'].map((letter) => `CUSTOM_${letter}`);
      const answers = await Promise.all(names.map((name) => ask(`PUT /traits/${name}`, newest)));
      expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 201, 201, 201]);
      expect(await list('name=startswith:CUSTOM')).to.have.members(names);
    });
  });

  describe('DELETE /traits/{name}', () => {
    it('deletes a custom trait', async () => {
      await make('CUSTOM_A');
      const { headers } = await ask('DELETE /traits/CUSTOM_A', newest).expect(204);
      expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
      expectRefusal(
        await ask('DELETE /traits/CUSTOM_A', newest),
        404,
        'No such trait(s): CUSTOM_A.',
      );
    });

    it('keeps standard traits and those that a provider has', async () => {
      await makeProvider(ask, one, { traits: ['CUSTOM_A'] });
      expectRefusal(
        await ask('DELETE /traits/HW_CPU_X86_VMX', newest),
        400,
        'Cannot delete standard trait HW_CPU_X86_VMX.',
      );
      expectRefusal(
        await ask('DELETE /traits/CUSTOM_A', newest),
        409,
        'The trait CUSTOM_A is in use by a resource provider.',
      );
    });
  });

  describe('traits of a provider', () => {
    const path = `/resource_providers/${one}/traits`;
    const put = (traits: unknown, generation: unknown, rest: object = {}) =>
      ask(`PUT ${path}`, newest, {
        body: { traits, resource_provider_generation: generation, ...rest },
      });

    it('are set as a whole, and shown', async () => {
      await makeProvider(ask, one);
      await make('CUSTOM_A');
      const set = await put(['CUSTOM_A', 'HW_CPU_X86_VMX'], 0).expect(200);
      expect(set.body).to.have.all.keys('traits', 'resource_provider_generation');
      expect(set.body.traits).to.have.members(['CUSTOM_A', 'HW_CPU_X86_VMX']);
      expect(set.body.resource_provider_generation).to.equal(1);
      expect(set.headers).to.include({ 'cache-control': 'no-cache' });
      expect(set.headers['last-modified']).to.be.a('string');
      const shown = await ask(`GET ${path}`, '1.6').expect(200);
      expect(shown.body).to.deep.equal(set.body);
      expect((await put(['HW_CPU_X86_VMX'], 1).expect(200)).body).to.deep.equal({
        traits: ['HW_CPU_X86_VMX'],
        resource_provider_generation: 2,
      });
    });

    it('raise the generation only where the set changes', async () => {
      await makeProvider(ask, one);
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

    it('are as old as the newest of them; where there are none, as of now', async () => {
      await makeProvider(ask, one);
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

    it('are refused for a stale generation, before unknown names are', async () => {
      await makeProvider(ask, one);
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

    it('are refused for what is wrong with the body before anything else', async () => {
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
        await ask(`PUT ${path}`, newest, { body: { traits: [] } }),
        400,
        /'resource_provider_generation' is a required property/,
      );
      expectRefusal(await put([], 0), 404, `No resource provider with uuid ${one} found`);
    });

    it('are all taken away by DELETE, which raises the generation where there were any', async () => {
      await makeProvider(ask, one, { traits: ['HW_CPU_X86_VMX'] });
      const { headers, text } = await ask(`DELETE ${path}`, newest).expect(204);
      expect(text).to.equal('');
      expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
      expect((await ask(`GET ${path}`, newest).expect(200)).body).to.deep.equal({
        traits: [],
        resource_provider_generation: 2,
      });
      await ask(`DELETE ${path}`, newest).expect(204);
      expect(
        (await ask(`GET ${path}`, newest).expect(200)).body.resource_provider_generation,
      ).to.equal(2);
    });

    it('are not there where the provider is not', async () => {
      const message = `No resource provider with uuid ${one} found`;
      expectRefusal(await ask(`GET ${path}`, newest), 404, `${message}: ${message}`);
      expectRefusal(await ask(`DELETE ${path}`, newest), 404, message);
    });

    it('are not there before 1.6', async () => {
      await makeProvider(ask, one);
      for (const method of ['GET', 'PUT', 'DELETE'])
        expectRefusal(await ask(`${method} ${path}`, '1.5'), 404, '');
    });

    it('are written by one of several clients with the same generation', async () => {
      await makeProvider(ask, one);
      await make('CUSTOM_A', 'CUSTOM_B', 'CUSTOM_C');
      const answers = await Promise.all(
        ['CUSTOM_A', 'CUSTOM_B', 'CUSTOM_C'].map((name) => put([name], 0)),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409]);
      expect((await ask(`GET ${path}`, newest).expect(200)).body.traits).to.have.length(1);
    });
  });
});
