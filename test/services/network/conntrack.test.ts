// The conntrack helpers of routers.
import { expect } from 'chai';
import { newUuid } from '../../../src/kernel/ids.ts';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import { ask, errorOf, make, member, otherMember, reader, type Resource } from './support.ts';

const tftp = { protocol: 'udp', port: 69, helper: 'tftp' };

onEachDatabase('network: conntrack helpers', { auth: 'noauth2' }, (world) => {
  const pathOf = (router: Resource, id = ''): string =>
    `/routers/${router.id}/conntrack_helpers${id && `/${id}`}`;
  const post = (router: Resource, fields: object, as: Asked = member) =>
    ask(world, 'POST', pathOf(router), { conntrack_helper: fields }, as);
  const add = async (router: Resource, fields: object = tftp): Promise<Resource> =>
    (await post(router, fields).expect(201)).body.conntrack_helper;
  const makeRouter = () => make(world, 'router', {}, member);
  const list = async (router: Resource, query = '', as: Asked = member): Promise<Resource[]> =>
    (await ask(world, 'GET', `${pathOf(router)}${query}`, undefined, as).expect(200)).body
      .conntrack_helpers;

  it('are created, listed, changed and deleted, and shown by their router', async () => {
    const router = await makeRouter();
    expect(router['conntrack_helpers']).to.deep.equal([]);
    const helper = await add(router);
    expect(helper).to.deep.equal({ ...tftp, id: helper.id });
    await add(router, { protocol: 'tcp', port: '21', helper: 'ftp' });
    expect((await list(router, '?helper=ftp')).map(({ port }) => port as number)).to.deep.equal([
      21,
    ]);
    const ports = async (): Promise<number[]> =>
      (await list(router, '?sort_key=port&sort_dir=asc')).map(({ port }) => port as number);
    expect(await ports()).to.deep.equal([21, 69]);
    const sent = { conntrack_helper: { port: 6969 } };
    await ask(world, 'PUT', pathOf(router, helper.id), sent, member).expect(200);
    const { body } = await ask(world, 'GET', `/routers/${router.id}`, undefined, member);
    expect(body.router.conntrack_helpers).to.deep.include({ ...tftp, port: 6969 });
    expect(body.router.revision_number).to.be.greaterThan(router['revision_number'] as number);
    await ask(world, 'DELETE', pathOf(router, helper.id), undefined, member).expect(204);
    expect(errorOf(await ask(world, 'GET', pathOf(router, helper.id)))).to.equal(
      `404 ConntrackHelperNotFound: Conntrack Helper ${helper.id} could not be found.`,
    );
    expect(await ports()).to.deep.equal([21]);
    await ask(world, 'DELETE', `/routers/${router.id}`, undefined, member).expect(204);
  });

  it('return 400 for unknown helpers, other protocols and duplicates', async () => {
    const router = await makeRouter();
    const helper = await add(router);
    const refused = async (fields: object): Promise<string> =>
      errorOf(await post(router, { ...tftp, ...fields }));
    expect(await refused({ helper: 'gopher' })).to.equal(
      '400 ConntrackHelperNotAllowed: Conntrack Helper gopher is not allowed.',
    );
    expect(await refused({ protocol: 'tcp' })).to.equal(
      '400 InvalidProtocolForHelper: Conntrack Helper tftp does not support: tcp. Supported ' +
        'protocols are: udp',
    );
    const duplicate =
      '400 BadRequest: Bad conntrack_helper request: A duplicate conntrack helper entry with ' +
      `same attributes already exists, conflicting values are {'router_id': '${router.id}', ` +
      "'protocol': 'udp', 'port': 69, 'helper': 'tftp'}.";
    expect(await refused({})).to.equal(duplicate);
    const other = await add(router, { ...tftp, port: 70 });
    const sent = { conntrack_helper: { port: 69 } };
    expect(errorOf(await ask(world, 'PUT', pathOf(router, other.id), sent, member))).to.equal(
      duplicate,
    );
    await ask(world, 'PUT', pathOf(router, helper.id), sent, member).expect(200);
    expect(await refused({ port: 0 })).to.contain('400 HTTPBadRequest: Invalid input for port.');
    expect(await refused({ protocol: 'token-ring' })).to.contain('400');
  });

  it('belong to the owner of their router', async () => {
    const router = await makeRouter();
    const helper = await add(router);
    expect(await list(router, '', reader)).to.have.lengthOf(1);
    expect((await post(router, { ...tftp, port: 70 }, reader)).status).to.equal(403);
    expect((await post(router, { ...tftp, port: 70 }, otherMember)).status).to.equal(403);
    expect(await list(router, '', otherMember)).to.deep.equal([]);
    const path = pathOf(router, helper.id);
    for (const method of ['GET', 'DELETE'])
      expect((await ask(world, method, path, undefined, otherMember)).status).to.equal(404);
    const unknown = newUuid();
    expect(errorOf(await post({ id: unknown }, tftp))).to.equal(
      `404 RouterNotFound: Router ${unknown} could not be found`,
    );
  });
});
