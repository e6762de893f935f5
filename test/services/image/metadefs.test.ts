// Tests metadata definitions: namespaces, and what they contain.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, said, type Person } from './support.ts';

const path = '/v2/metadefs/namespaces';

onEachDatabase('metadata definitions', { auth: 'noauth2' }, (world) => {
  const send = (method: string, below: string, body?: unknown, who: Person = 'admin') =>
    ask(world, who, method, `${path}${below}`, body === undefined ? {} : { body });
  const get = (below: string, who: Person = 'admin'): supertest.Test =>
    send('GET', below, undefined, who);

  /** Creates a namespace with one of everything. */
  const create = (namespace: string, fields: object = {}): supertest.Test =>
    send('POST', '', {
      namespace,
      resource_type_associations: [
        { name: 'OS::Nova::Flavor', prefix: 'paint:' },
        { name: 'Custom::Tin', properties_target: 'label' },
      ],
      properties: { colour: { title: 'Colour', type: 'string', enum: ['red'] } },
      objects: [
        {
          name: 'tin',
          required: ['size'],
          properties: { size: { title: 'Size', type: 'integer', minimum: 1, default: 5 } },
        },
      ],
      tags: [{ name: 'wet' }, { name: 'Wet' }],
      ...fields,
    });

  const listed = async (query: string, who: Person = 'admin'): Promise<string[]> => {
    const { body } = await get(`?limit=1000&${query}`, who).expect(200);
    return (body.namespaces as { namespace: string }[]).map(({ namespace }) => namespace);
  };

  describe('defaults', () => {
    it('have the names and types of upstream’s definitions', async () => {
      const { body } = await get('/OS::Compute::CPUPinning').expect(200);
      expect(body).to.deep.include({
        display_name: 'CPU Pinning',
        protected: true,
        visibility: 'public',
        owner: 'admin',
        resource_type_associations: [
          { name: 'OS::Glance::Image', prefix: 'hw_' },
          { name: 'OS::Cinder::Volume', prefix: 'hw_', properties_target: 'image' },
          { name: 'OS::Nova::Flavor', prefix: 'hw:' },
        ].map((one) => ({ ...one, created_at: body.created_at })),
      });
      expect(body.properties.cpu_policy).to.deep.include({
        type: 'string',
        enum: ['shared', 'dedicated'],
      });
      const quota = await get('/OS::Compute::Quota').expect(200);
      expect(quota.body.objects.map((one: { name: string }) => one.name)).to.deep.equal([
        'CPU Limits',
        'Disk QoS',
        'Virtual Interface QoS',
      ]);
      expect(await listed('')).to.have.length(33);
    });

    it('are not added again once an administrator has deleted them', async () => {
      await send('DELETE', '/OS::Glance::Signatures').expect(204);
      await get('/OS::Glance::Signatures').expect(404);
      expect(await listed('')).to.have.length(32);
    });

    it('cannot be deleted while they are protected', async () => {
      const refusal = await send('DELETE', '/OS::Compute::CPUPinning').expect(403);
      expect(said(refusal)).to.equal(
        'Metadata definition namespace OS::Compute::CPUPinning is protected and cannot be deleted.',
      );
      for (const [kind, name, message] of [
        ['properties', 'cpu_policy', 'property cpu_policy'],
        ['resource_types', 'OS::Glance::Image', 'resource-type-association OS::Glance::Image'],
      ]) {
        const reply = await send('DELETE', `/OS::Compute::CPUPinning/${kind}/${name}`).expect(403);
        expect(said(reply)).to.equal(
          `Metadata definition ${message} is protected and cannot be deleted.`,
        );
      }
    });
  });

  describe('namespaces', () => {
    it('are updated with what a client has read, as Horizon does', async () => {
      await create('Paint').expect(201);
      const { self, schema, created_at, updated_at, ...read } = (await get('/Paint')).body;
      expect([self, schema, created_at, updated_at]).to.not.include(undefined);
      await send('PUT', '/Paint', { ...read, visibility: 'public' }).expect(200);
      const { resource_type_associations: types, visibility, objects } = (await get('/Paint')).body;
      expect([visibility, types, objects]).to.deep.equal([
        'public',
        read.resource_type_associations,
        read.objects,
      ]);
    });

    it('are created with everything in them', async () => {
      const { body, headers } = await create('Paint').expect(201);
      expect(headers['location']).to.match(/\/image\/v2\/metadefs\/namespaces\/Paint$/);
      expect(body).to.deep.include({ visibility: 'private', protected: false });
      const times = { created_at: body.created_at, updated_at: body.updated_at };
      const shown = await get('/Paint').expect(200);
      expect(shown.body).to.deep.equal({
        namespace: 'Paint',
        visibility: 'private',
        protected: false,
        owner: 'admin',
        ...times,
        resource_type_associations: [
          { name: 'OS::Nova::Flavor', prefix: 'paint:', ...times },
          { name: 'Custom::Tin', properties_target: 'label', ...times },
        ],
        properties: { colour: { type: 'string', title: 'Colour', enum: ['red'] } },
        objects: [
          {
            name: 'tin',
            required: ['size'],
            properties: { size: { type: 'integer', title: 'Size', default: '5', minimum: 1 } },
            ...times,
            self: '/v2/metadefs/namespaces/Paint/objects/tin',
            schema: '/v2/schemas/metadefs/object',
          },
        ],
        tags: [{ name: 'Wet' }, { name: 'wet' }],
        self: '/v2/metadefs/namespaces/Paint',
        schema: '/v2/schemas/metadefs/namespace',
      });
      const types = await ask(world, 'bob', 'GET', '/v2/metadefs/resource_types').expect(200);
      const names = types.body.resource_types.map((one: { name: string }) => one.name);
      expect(names).to.include.members(['OS::Nova::Flavor', 'Custom::Tin']);
    });

    it('show property names with the prefix of a resource type', async () => {
      await create('Paint').expect(201);
      const { body } = await get('/Paint?resource_type=OS::Nova::Flavor').expect(200);
      expect(Object.keys(body.properties as object)).to.deep.equal(['paint:colour']);
      expect(body.objects[0].required).to.deep.equal(['paint:size']);
      expect(Object.keys(body.objects[0].properties as object)).to.deep.equal(['paint:size']);
      const property = '/Paint/properties/paint:colour?resource_type=OS::Nova::Flavor';
      expect((await get(property).expect(200)).body).to.include({ name: 'colour' });
    });

    it('are refused whole if a part of them is', async () => {
      const doubled = await create('Paint', { tags: [{ name: 'a' }, { name: 'a' }] }).expect(409);
      expect(said(doubled)).to.match(/^A metadata tag with name=a already exists/);
      await get('/Paint').expect(404);
      for (const [fields, reason] of [
        [{ tags: [{}] }, "'name' is a required property"],
        [{ objects: [{ name: 'x'.repeat(81) }] }, `'${'x'.repeat(81)}' is too long`],
        [{ properties: { a: { title: 'A' } } }, "'type' is a required property"],
        [{ visibility: 'shared' }, "'shared' is not one of ['public', 'private']"],
      ] as const)
        expect(said(await create('Paint', fields).expect(400)).split('\n')[0]).to.equal(
          `Provided object does not match schema 'namespace': ${reason}`,
        );
      expect(said(await create('Paint', { self: '/' }).expect(403))).to.equal(
        "Attribute 'self' is read-only.",
      );
    });

    it('are seen by their owner, by administrators, and by all if public', async () => {
      await create('Blue', { owner: 'blue' }).expect(201);
      await create('Open', { visibility: 'public' }).expect(201);
      expect(await listed('visibility=private', 'alice')).to.deep.equal(['Blue']);
      expect(await listed('visibility=private', 'bob')).to.deep.equal([]);
      expect(await listed('', 'bob')).to.include('Open');
      expect(said(await get('/Blue', 'bob').expect(404))).to.equal(
        'The resource could not be found.',
      );
      expect(said(await get('/Blue/tags', 'bob').expect(404))).to.equal('Namespace Blue not found');
      await get('/Blue', 'alice').expect(200);
      expect(said(await send('DELETE', '/Blue', undefined, 'alice').expect(403))).to.equal(
        'You are not authorized to complete delete_metadef_namespace action.',
      );
    });

    it('are listed by resource type, in order, page by page', async () => {
      await create('A').expect(201);
      await create('B').expect(201);
      await create('C', { resource_type_associations: [{ name: 'Custom::Lid' }] }).expect(201);
      expect(await listed('resource_types=Custom::Lid,Custom::Tin')).to.deep.equal(['C', 'B', 'A']);
      expect(await listed('resource_types=Custom::Tin&sort_dir=asc')).to.deep.equal(['A', 'B']);
      const query = 'visibility=private&sort_key=namespace&sort_dir=asc&limit=2';
      const { body } = await get(`?${query}`).expect(200);
      expect(body.namespaces.map((one: { namespace: string }) => one.namespace)).to.deep.equal([
        'A',
        'B',
      ]);
      expect(body.next).to.equal(`${path}?${query}&marker=B`);
      const next = await get(body.next.slice(path.length) as string).expect(200);
      expect(next.body.namespaces[0].namespace).to.equal('C');
      for (const [bad, reason] of [
        ['sort_dir=up', 'Invalid sort direction: up'],
        ['limit=x', 'limit param must be an integer'],
        ['visibility=shared', 'Invalid visibility value: shared'],
      ])
        expect(said(await get(`?${bad}`).expect(400))).to.equal(reason);
      expect(said(await get('?sort_key=size').expect(400))).to.match(/^Invalid sort key: size\./);
      expect(said(await get('?marker=nope').expect(404))).to.equal(
        'Metadata definition namespace=nope was not found.',
      );
    });

    it('keep their contents when they are updated, and lose them when cleared', async () => {
      await create('Paint').expect(201);
      await create('Varnish').expect(201);
      const { body } = await send('PUT', '/Paint', {
        namespace: 'Lacquer',
        visibility: 'public',
      }).expect(200);
      expect(body).to.include({ namespace: 'Lacquer', visibility: 'public' });
      expect((await get('/Lacquer').expect(200)).body.tags).to.have.length(2);
      expect(said(await send('PUT', '/Lacquer', { namespace: 'Varnish' }).expect(409))).to.equal(
        'Invalid update. It would result in a duplicate metadata definition namespace with the ' +
          'same name of Varnish',
      );
      for (const kind of ['objects', 'properties', 'tags'])
        await send('DELETE', `/Lacquer/${kind}`).expect(204);
      const shown = await get('/Lacquer').expect(200);
      expect(shown.body).not.to.have.any.keys('objects', 'properties', 'tags');
      await send('DELETE', '/Lacquer').expect(204);
      expect(said(await send('DELETE', '/Lacquer').expect(404))).to.equal(
        'Namespace Lacquer not found',
      );
    });
  });

  describe('contents', () => {
    beforeEach(() => create('Paint').expect(201));

    it('have names that are unique in the namespace', async () => {
      const property = { title: 'T', type: 'string' };
      await send('POST', '/Paint/properties', { name: 'gloss', ...property }).expect(201);
      await send('POST', '/Paint/objects', { name: 'brush' }).expect(201);
      for (const [below, body, message] of [
        ['properties', { name: 'colour', ...property }, 'property with name=colour'],
        ['objects', { name: 'tin' }, 'object with name=tin'],
      ] as const)
        expect(said(await send('POST', `/Paint/${below}`, body).expect(409))).to.equal(
          `A metadata definition ${message} already exists in namespace=Paint.`,
        );
      expect(
        said(await send('POST', '/Paint/resource_types', { name: 'Custom::Tin' }).expect(409)),
      ).to.equal(
        'The metadata definition resource-type association of resource-type=Custom::Tin to ' +
          'namespace=Paint already exists.',
      );
      for (const [below, body] of [
        ['properties/gloss', { name: 'colour', ...property }],
        ['objects/brush', { name: 'tin' }],
        ['tags/wet', { name: 'Wet' }],
      ] as const)
        await send('PUT', `/Paint/${below}`, body).expect(409);
    });

    it('are replaced, renamed and removed', async () => {
      const property = { name: 'shade', title: 'Shade', type: 'number', default: [1] };
      const { body } = await send('PUT', '/Paint/properties/colour', property).expect(200);
      expect(body).to.deep.equal({ ...property, default: null });
      expect((await get('/Paint/properties').expect(200)).body.properties).to.have.keys('shade');
      const object = await send('PUT', '/Paint/objects/tin', { name: 'can' }).expect(200);
      expect(object.body).not.to.have.any.keys('properties', 'required');
      expect((await get('/Paint/objects/can').expect(200)).body).to.deep.include({
        properties: {},
        required: [],
      });
      await send('DELETE', '/Paint/objects/can').expect(204);
      await send('DELETE', '/Paint/properties/shade').expect(204);
      await send('DELETE', '/Paint/resource_types/Custom::Tin').expect(204);
      for (const [below, message] of [
        ['objects/can', 'Could not find metadata object can'],
        ['properties/shade', 'Could not find property shade'],
        ['tags/dry', 'Could not find metadata tag dry'],
        ['resource_types/Custom::Tin', 'Failed to find resource type Custom::Tin to delete'],
      ])
        expect(said(await send('DELETE', `/Paint/${below}`).expect(404))).to.equal(message);
    });

    it('can be tagged one by one, all at once, and more', async () => {
      const tags = async (): Promise<string[]> => {
        const { body } = await get('/Paint/tags?sort_key=name&sort_dir=asc').expect(200);
        return body.tags.map(({ name }: { name: string }) => name);
      };
      await send('POST', '/Paint/tags/dry').expect(201);
      await send('PUT', '/Paint/tags/dry', { name: 'damp' }).expect(200);
      expect(await tags()).to.deep.equal(['Wet', 'damp', 'wet']);
      await send('POST', '/Paint/tags', { tags: [{ name: 'a' }, { name: 'b' }] }).expect(201);
      expect(await tags()).to.deep.equal(['a', 'b']);
      await ask(world, 'admin', 'POST', `${path}/Paint/tags`, {
        headers: { 'x-openstack-append': 'true' },
        body: { tags: [{ name: 'c' }] },
      }).expect(201);
      expect(await tags()).to.deep.equal(['a', 'b', 'c']);
      const { body } = await get('/Paint/tags?limit=1&marker=b').expect(200);
      expect(body.tags).to.deep.equal([{ name: 'a' }]);
    });
  });

  it('have schemas that clients read', async () => {
    for (const [name, required] of [
      ['namespace', ['namespace']],
      ['object', ['name']],
      ['property', ['name', 'title', 'type']],
      ['resource_type', ['name']],
      ['tag', ['name']],
    ] as const) {
      const { body } = await ask(world, 'bob', 'GET', `/v2/schemas/metadefs/${name}`).expect(200);
      expect(body).to.deep.include({ required, additionalProperties: false });
    }
    const { body } = await ask(world, 'bob', 'GET', '/v2/schemas/metadefs/namespaces').expect(200);
    expect(body.properties.namespaces.items.name).to.equal('namespace');
  });
});
