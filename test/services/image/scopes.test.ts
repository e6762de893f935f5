// Tests that Image accepts project tokens only, and no domain or system tokens. Upstream:
// scope_types in glance/policies/image.py.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ids, onDomain, onProject, onSystem, signIn } from '../identity/support.ts';
import { octets, patchType } from './support.ts';

onEachDatabase('Image and token scopes', {}, (world) => {
  it('returns 403 for domain and system administrators, and accepts a project’s', async () => {
    const token = await signIn(world, { scope: onProject('admin') });
    await world.ask(
      'identity',
      'PUT',
      `/identity/v3/domains/default/users/${ids.admin}/roles/${ids.role('admin')}`,
      { token },
    );
    await world.ask(
      'identity',
      'PUT',
      `/identity/v3/system/users/${ids.admin}/roles/${ids.role('admin')}`,
      { token },
    );
    const fields = {
      name: 'i',
      disk_format: 'raw',
      container_format: 'bare',
      visibility: 'public',
    };
    const made = await world
      .ask('image', 'POST', '/image/v2/images', { token, body: fields })
      .expect(201);
    const path = `/images/${(made.body as { id: string }).id}`;
    await world
      .ask('image', 'PUT', `/image/v2${path}/file`, { token, headers: octets, body: 'data' })
      .expect(204);
    const requests: readonly [
      method: string,
      path: string,
      body?: unknown,
      headers?: Record<string, string>,
    ][] = [
      ['GET', '/images'],
      ['POST', '/images', fields],
      ['GET', path],
      ['PATCH', path, [{ op: 'replace', path: '/name', value: 'j' }], patchType],
      ['GET', `${path}/file`],
      ['PUT', `${path}/file`, 'other', octets],
      ['GET', `${path}/members`],
      ['POST', `${path}/members`, { member: 'm' }],
      ['PUT', `${path}/tags/a`],
      ['DELETE', `${path}/tags/a`],
      ['POST', `${path}/actions/deactivate`],
      ['POST', `${path}/actions/reactivate`],
      ['DELETE', path],
    ];
    for (const scope of [onDomain('default'), onSystem]) {
      const other = await signIn(world, { scope });
      for (const [method, at, body, headers = {}] of requests) {
        const reply = await world.ask('image', method, `/image/v2${at}`, {
          token: other,
          headers,
          ...(body === undefined ? {} : { body }),
        });
        expect(reply.status, `${method} ${at}: ${reply.text}`).to.be.oneOf([403, 404]);
      }
    }
    const shown = await world.ask('image', 'GET', `/image/v2${path}`, { token }).expect(200);
    expect(shown.body).to.deep.include({ name: 'i', status: 'active', tags: [] });
  });
});
