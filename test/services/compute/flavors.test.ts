// Tests flavors, their extra specs and access.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, config, expectFault, flavorOf, member, reader } from './support.ts';

interface Flavor {
  id: string;
  name: string;
  links: { rel: string; href: string }[];
}

const idsOf = (body: unknown): string[] =>
  (body as { flavors: Flavor[] }).flavors.map(({ id }) => id);

onEachDatabase('compute: flavors', config, (world) => {
  const make = async (fields: object, version = '2.1'): Promise<string> => {
    const reply = await ask(world, 'POST', '/flavors', { version, body: flavorOf(fields) });
    expect(reply.status, reply.text).to.equal(200);
    return (reply.body as { flavor: Flavor }).flavor.id;
  };
  const privately = (fields: object = {}): Promise<string> =>
    make({ name: 'private', id: 'private', 'os-flavor-access:is_public': false, ...fields });

  describe('GET /flavors in a new region', () => {
    it('lists the flavors of DevStack', async () => {
      const { body } = await ask(world, 'GET', '/flavors/detail', member);
      expect(
        body.flavors.map((one: Record<string, unknown>) => [
          one['name'],
          one['vcpus'],
          one['ram'],
          one['disk'],
        ]),
      ).to.deep.equal([
        ['m1.tiny', 1, 512, 1],
        ['m1.small', 1, 2048, 20],
        ['m1.medium', 2, 4096, 40],
        ['m1.large', 4, 8192, 80],
        ['m1.nano', 1, 192, 1],
        ['m1.xlarge', 8, 16_384, 160],
        ['m1.micro', 1, 256, 1],
        ['cirros256', 1, 256, 1],
      ]);
    });
  });

  describe('GET /flavors/{id}', () => {
    const keys = async (version: string): Promise<string[]> =>
      Object.keys(
        (await ask(world, 'GET', '/flavors/1', { ...reader, version })).body.flavor as object,
      ).toSorted();
    const first = [
      'OS-FLV-DISABLED:disabled',
      'OS-FLV-EXT-DATA:ephemeral',
      'disk',
      'id',
      'links',
      'name',
      'os-flavor-access:is_public',
      'ram',
      'rxtx_factor',
      'swap',
      'vcpus',
    ];

    it('shows description from 2.55 and extra_specs from 2.61 on, without rxtx_factor from 2.102 on', async () => {
      expect(await keys('2.54')).to.deep.equal(first);
      expect(await keys('2.55')).to.deep.equal([...first, 'description'].toSorted());
      expect(await keys('2.61')).to.deep.equal([...first, 'description', 'extra_specs'].toSorted());
      expect(await keys('2.102')).to.deep.equal(
        [...first, 'description', 'extra_specs']
          .filter((key) => !/disabled|rxtx/.test(key))
          .toSorted(),
      );
    });

    it('omits extra_specs if policy denies them', async () => {
      const { body } = await ask(world, 'GET', '/flavors/1', {
        token: 'demo:demo',
        version: '2.61',
      });
      expect(body.flavor).to.not.have.property('extra_specs');
    });

    it('shows swap as an empty text until 2.74, and as 0 from 2.75 on', async () => {
      expect(
        (await ask(world, 'GET', '/flavors/1', { ...member, version: '2.74' })).body.flavor.swap,
      ).to.equal('');
      expect(
        (await ask(world, 'GET', '/flavors/1', { ...member, version: '2.75' })).body.flavor.swap,
      ).to.equal(0);
    });

    it('returns 404 for an unknown flavor', async () => {
      expectFault(
        await ask(world, 'GET', '/flavors/none', member),
        404,
        'Flavor none could not be found.',
      );
    });
  });

  describe('GET /flavors', () => {
    it('sorts by id by default', async () => {
      expect(idsOf((await ask(world, 'GET', '/flavors', member)).body)).to.deep.equal([
        '1',
        '2',
        '3',
        '4',
        '42',
        '5',
        '84',
        'c1',
      ]);
      expect(
        idsOf(
          (await ask(world, 'GET', '/flavors?sort_key=memory_mb&sort_dir=desc', member)).body,
        ).slice(0, 3),
      ).to.deep.equal(['5', '4', '3']);
      expectFault(
        await ask(world, 'GET', '/flavors?sort_key=x', member),
        400,
        /^Invalid input for query parameters sort_key\. Value: x\. 'x' is not one of/,
      );
    });

    it('returns pages with a link to the next', async () => {
      const { body } = await ask(world, 'GET', '/flavors?limit=3&marker=2', member);
      expect(idsOf(body)).to.deep.equal(['3', '4', '42']);
      const next = new URL((body as { flavors_links: { href: string }[] }).flavors_links[0]!.href);
      expect(next.pathname).to.equal('/compute/v2.1/flavors');
      const rest = await world.ask('compute', 'GET', next.pathname + next.search, member);
      expect(idsOf(rest.body)).to.deep.equal(['5', '84', 'c1']);
      expect((await ask(world, 'GET', '/flavors?limit=20', member)).body).to.not.have.property(
        'flavors_links',
      );
      expect(idsOf((await ask(world, 'GET', '/flavors?limit=0', member)).body)).to.deep.equal([]);
      expectFault(
        await ask(world, 'GET', '/flavors?marker=none', member),
        400,
        'marker [none] not found',
      );
    });

    it('filters by memory and disk', async () => {
      expect(idsOf((await ask(world, 'GET', '/flavors?minRam=8192', member)).body)).to.deep.equal([
        '4',
        '5',
      ]);
      expect(
        idsOf((await ask(world, 'GET', '/flavors?minDisk=40&minRam=1', member)).body),
      ).to.deep.equal(['3', '4', '5']);
      expectFault(
        await ask(world, 'GET', '/flavors?minRam=x', member),
        400,
        'Invalid minRam filter [x]',
      );
      expectFault(
        await ask(world, 'GET', '/flavors?minDisk=1.5', member),
        400,
        'Invalid minDisk filter [1.5]',
      );
    });

    it('filters by a regular expression for the name from 2.102 on', async () => {
      expect(
        idsOf(
          (await ask(world, 'GET', '/flavors?name=m1.*o$', { ...member, version: '2.102' })).body,
        ),
      ).to.deep.equal(['42', '84']);
      expectFault(
        await ask(world, 'GET', '/flavors?name=m1', { ...member, version: '2.101' }),
        400,
        "Additional properties are not allowed ('name' was unexpected)",
      );
      expect(
        idsOf(
          (await ask(world, 'GET', '/flavors?name=m1.nano', { ...member, version: '2.74' })).body,
        ),
      ).to.have.length(8);
    });

    it('omits private flavors from projects without access', async () => {
      const id = await privately();
      expect(
        idsOf((await ask(world, 'GET', '/flavors?is_public=None', member)).body),
      ).to.not.include(id);
      expectFault(
        await ask(world, 'GET', `/flavors/${id}`, member),
        404,
        `Flavor ${id} could not be found.`,
      );
      expect(idsOf((await ask(world, 'GET', '/flavors')).body)).to.not.include(id);
      expect(idsOf((await ask(world, 'GET', '/flavors?is_public=None')).body))
        .to.include(id)
        .and.include('1');
      expect(idsOf((await ask(world, 'GET', '/flavors?is_public=false')).body)).to.deep.equal([id]);
      expectFault(
        await ask(world, 'GET', '/flavors?is_public=x'),
        400,
        'Invalid is_public filter [x]',
      );
    });
  });

  describe('POST /flavors', () => {
    it('creates a flavor, with a UUID if the body has no id', async () => {
      const { status, body } = await ask(world, 'POST', '/flavors', {
        version: '2.61',
        body: flavorOf({ id: null, ram: '128', swap: '3', rxtx_factor: '2.5', description: 'd' }),
      });
      expect(status).to.equal(200);
      expect(body.flavor.id).to.match(/^[0-9a-f-]{36}$/);
      expect(body.flavor).to.deep.include({
        ram: 128,
        swap: 3,
        rxtx_factor: 2.5,
        description: 'd',
        extra_specs: {},
        'os-flavor-access:is_public': true,
      });
      expect(await make({ name: 'n', id: 7 })).to.equal('7');
      expect(await make({ name: 'a', id: 'auto' })).to.equal('auto');
    });

    it('returns 409 for an id or a name that exists', async () => {
      await make({ id: 'x' });
      expectFault(
        await ask(world, 'POST', '/flavors', { body: flavorOf({ id: 'x', name: 'other' }) }),
        409,
        'Flavor with ID x already exists.',
      );
      expectFault(
        await ask(world, 'POST', '/flavors', { body: flavorOf({ id: 'y' }) }),
        409,
        'Flavor with name f already exists.',
      );
    });

    it('returns 400 for an invalid body', async () => {
      const refused = async (
        fields: object,
        message: string | RegExp,
        version = '2.1',
      ): Promise<void> =>
        expectFault(
          await ask(world, 'POST', '/flavors', { version, body: flavorOf(fields) }),
          400,
          message,
        );
      await refused(
        { ram: 0 },
        'Invalid input for field/attribute ram. Value: 0. 0 is less than the minimum of 1',
      );
      await refused(
        { ram: '0' },
        'Invalid input for field/attribute ram. Value: 0. 0 is less than the minimum of 1',
      );
      await refused(
        { vcpus: 2 ** 31 },
        'Invalid input for field/attribute vcpus. Value: 2147483648. 2147483648 is greater than the maximum of 2147483647',
      );
      await refused({ disk: '2147483648' }, /is greater than the maximum of 2147483647$/);
      await refused(
        { id: ' x' },
        "Invalid input for field/attribute id. Value:  x. ' x' does not match '^(?! )[a-zA-Z0-9. _-]+(?<! )$'",
      );
      await refused(
        { rxtx_factor: 0 },
        /^Invalid input for field\/attribute rxtx_factor\. Value: 0\./,
      );
      await refused(
        { rxtx_factor: '0' },
        /^Invalid input for field\/attribute rxtx_factor\. Value: 0\./,
      );
      await refused(
        { rxtx_factor: 1 },
        /Additional properties are not allowed \('rxtx_factor' was unexpected\)$/,
        '2.102',
      );
      await refused(
        { description: 'd' },
        /Additional properties are not allowed \('description' was unexpected\)$/,
        '2.54',
      );
      await refused({ name: ' ' }, /printable characters/);
    });

    it('is for administrators', async () => {
      expectFault(
        await ask(world, 'POST', '/flavors', { ...member, body: flavorOf({}) }),
        403,
        "Policy doesn't allow os_compute_api:os-flavor-manage:create to be performed.",
      );
    });
  });

  describe('PUT and DELETE /flavors/{id}', () => {
    it('updates the description only, from 2.55 on', async () => {
      const { body } = await ask(world, 'PUT', '/flavors/1', {
        version: '2.55',
        body: { flavor: { description: 'small' } },
      });
      expect(body.flavor.description).to.equal('small');
      expect(
        (await ask(world, 'GET', '/flavors', { version: '2.55' })).body.flavors[0].description,
      ).to.equal('small');
      expectFault(
        await ask(world, 'PUT', '/flavors/1', { version: '2.55', body: { flavor: { name: 'x' } } }),
        400,
        /is a required property/,
      );
      expectFault(
        await ask(world, 'PUT', '/flavors/none', {
          version: '2.55',
          body: { flavor: { description: null } },
        }),
        404,
        'Flavor none could not be found.',
      );
    });

    it('deletes a flavor with its extra specs and access', async () => {
      const id = await privately();
      await ask(world, 'POST', `/flavors/${id}/os-extra_specs`, {
        body: { extra_specs: { a: 'b' } },
      });
      await ask(world, 'POST', `/flavors/${id}/action`, {
        body: { addTenantAccess: { tenant: 'demo' } },
      });
      const reply = await ask(world, 'DELETE', `/flavors/${id}`);
      expect([reply.status, reply.text]).to.deep.equal([202, '']);
      expectFault(
        await ask(world, 'DELETE', `/flavors/${id}`),
        404,
        `Flavor ${id} could not be found.`,
      );
      await privately();
      expect(
        (await ask(world, 'GET', `/flavors/${id}/os-extra_specs`)).body.extra_specs,
      ).to.deep.equal({});
    });
  });

  describe('extra specs', () => {
    const path = '/flavors/1/os-extra_specs';

    it('are created, shown, updated and deleted', async () => {
      const made = await ask(world, 'POST', path, { body: { extra_specs: { a: 'b', n: 1 } } });
      expect(made.body).to.deep.equal({ extra_specs: { a: 'b', n: 1 } });
      await ask(world, 'POST', path, { body: { extra_specs: { c: 'd' } } });
      expect((await ask(world, 'GET', path, member)).body).to.deep.equal({
        extra_specs: { a: 'b', c: 'd', n: '1' },
      });
      expect((await ask(world, 'PUT', `${path}/a`, { body: { a: 'z' } })).body).to.deep.equal({
        a: 'z',
      });
      expect((await ask(world, 'GET', `${path}/a`, member)).body).to.deep.equal({ a: 'z' });
      const gone = await ask(world, 'DELETE', `${path}/a`);
      expect([gone.status, gone.text]).to.deep.equal([200, '']);
      for (const method of ['GET', 'DELETE'])
        expectFault(
          await ask(world, method, `${path}/a`),
          404,
          'Flavor 1 has no extra specs with key a.',
        );
      expect(
        (await ask(world, 'GET', '/flavors/1', { version: '2.61' })).body.flavor.extra_specs,
      ).to.deep.equal({
        c: 'd',
        n: '1',
      });
    });

    it('returns 400 if body and path name different keys', async () => {
      expectFault(
        await ask(world, 'PUT', `${path}/a`, { body: { b: 'c' } }),
        400,
        'Request body and URI mismatch',
      );
      expectFault(
        await ask(world, 'PUT', `${path}/a`, { body: { a: '1', b: '2' } }),
        400,
        /too many properties|does not have/,
      );
    });

    it('are validated from 2.86 on if their namespace is known', async () => {
      const write = (extra_specs: object, version: string) =>
        ask(world, 'POST', path, { version, body: { extra_specs } });
      expect(
        (await write({ 'hw:cpu_policy': 'bogus', 'hw:unknown': '1' }, '2.85')).status,
      ).to.equal(200);
      expectFault(
        await write({ 'hw:cpu_policy': 'bogus' }, '2.86'),
        400,
        "Validation failed; 'bogus' is not one of: dedicated, shared, mixed.",
      );
      expectFault(
        await write({ 'hw:unknown': '1' }, '2.86'),
        400,
        "Validation failed; extra spec 'hw:unknown' does not appear to be a valid extra spec.",
      );
      expectFault(
        await write({ 'hw:numa_nodes': '0' }, '2.86'),
        400,
        "Validation failed; '0' is less than the min value of '1'.",
      );
      expectFault(
        await write({ 'quota:cpu_period': 'x' }, '2.86'),
        400,
        "Validation failed; 'x' is not a valid integer value.",
      );
      expectFault(
        await write({ 'trait:HW_CPU_X86_AVX': 'maybe' }, '2.86'),
        400,
        "Validation failed; 'maybe' is not one of: required, forbidden.",
      );
      expectFault(
        await write({ 'resources:NO_SUCH': '1' }, '2.86'),
        400,
        /does not appear to be a valid extra spec/,
      );
      const good = {
        'hw:cpu_policy': 'dedicated',
        'hw:numa_cpus.0': '0-3',
        'trait:CUSTOM_X': 'required',
        'traitA:HW_CPU_X86_AVX': 'forbidden',
        'resources1:VCPU': '2',
        'own:thing': 'x',
        plain: 'x',
        'aggregate_instance_extra_specs:ssd': 'true',
      };
      expect((await write(good, '2.86')).status).to.equal(200);
    });
  });

  describe('access', () => {
    const act = (id: string, body: object, version = '2.7') =>
      ask(world, 'POST', `/flavors/${id}/action`, { version, body });

    it('is added to and removed from private flavors', async () => {
      const id = await privately();
      const given = await act(id, { addTenantAccess: { tenant: 'demo' } });
      expect(given.body).to.deep.equal({ flavor_access: [{ flavor_id: id, tenant_id: 'demo' }] });
      expect(idsOf((await ask(world, 'GET', '/flavors', member)).body)).to.include(id);
      expect((await ask(world, 'GET', `/flavors/${id}`, member)).status).to.equal(200);
      expectFault(
        await act(id, { addTenantAccess: { tenant: 'demo' } }),
        409,
        `Flavor access already exists for flavor ${id} and project demo combination.`,
      );
      expect(
        (await ask(world, 'GET', `/flavors/${id}/os-flavor-access`)).body.flavor_access,
      ).to.have.length(1);
      expect((await act(id, { removeTenantAccess: { tenant: 'demo' } })).body).to.deep.equal({
        flavor_access: [],
      });
      expectFault(
        await act(id, { removeTenantAccess: { tenant: 'demo' } }),
        404,
        `Flavor access not found for ${id} / demo combination.`,
      );
    });

    it('returns 409 for a public flavor', async () => {
      expectFault(
        await ask(world, 'GET', '/flavors/1/os-flavor-access'),
        404,
        'Access list not available for public flavors.',
      );
      expectFault(
        await act('1', { addTenantAccess: { tenant: 'demo' } }),
        409,
        'Can not add access to a public flavor.',
      );
      expect((await act('1', { addTenantAccess: { tenant: 'demo' } }, '2.6')).status).to.equal(200);
    });

    it('returns 400 for any other action', async () => {
      expectFault(await act('1', { paint: null }), 400, 'There is no such action: paint');
      expectFault(
        await act('1', { addTenantAccess: { tenant: 'a' }, removeTenantAccess: { tenant: 'a' } }),
        400,
        'Malformed request body',
      );
      expectFault(
        await ask(world, 'POST', '/flavors/1/action', {
          ...member,
          body: { addTenantAccess: { tenant: 'demo' } },
        }),
        403,
        "Policy doesn't allow os_compute_api:os-flavor-access:add_tenant_access to be performed.",
      );
    });
  });
});
