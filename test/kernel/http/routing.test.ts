// Tests of a table of routes: matching a path, and selecting the route for a method and a version.
import { expect } from 'chai';
import fc from 'fast-check';
import { noContent } from '../../../src/kernel/http/reply.ts';
import { selectRoute, methodsOf } from '../../../src/kernel/http/routing.ts';
import { toy, toyVersions } from '../toy.ts';
import type { Route } from '../../../src/kernel/model.ts';

const handler = (): ReturnType<typeof noContent> => noContent();

const routes: readonly Route[] = [
  { method: 'GET', path: '/', handler },
  { method: 'GET', path: '/things', handler },
  { method: 'POST', path: '/things', handler, span: ['1.2'] },
  { method: 'GET', path: '/things/detail', handler },
  { method: 'GET', path: '/things/:id', handler },
  { method: 'PUT', path: '/things/:id', handler, span: ['1.0', '1.1'], policy: 'old' },
  { method: 'PUT', path: '/things/:id', handler, span: ['1.10'], policy: 'new' },
  { method: 'DELETE', path: '/things/:id', handler, span: ['1.1'], statusOutsideSpan: 405 },
  { method: 'GET', path: '/things/:thing_id/parts/:part', handler },
  { method: 'GET', path: '/things/detail/parts', handler },
];
const service = toy(routes);

const pathOf = (path: string): string | undefined => service.match(path)?.routes[0]?.path;
const paramsOf = (path: string): Readonly<Record<string, string>> | undefined =>
  service.match(path)?.params;

describe('match', () => {
  it('matches literals and parameters', () => {
    expect(pathOf('/')).to.equal('/');
    expect(pathOf('/things')).to.equal('/things');
    expect(paramsOf('/things/7')).to.deep.equal({ id: '7' });
    expect(paramsOf('/things/7/parts/8')).to.deep.equal({ thing_id: '7', part: '8' });
  });

  it('prefers a literal to a parameter, and backtracks to the parameter', () => {
    expect(pathOf('/things/detail')).to.equal('/things/detail');
    expect(pathOf('/things/detail/parts')).to.equal('/things/detail/parts');
    expect(paramsOf('/things/detail/parts/8')).to.deep.equal({ thing_id: 'detail', part: '8' });
  });

  it('returns undefined for extra slashes', () => {
    for (const path of [
      '/things/',
      '//things',
      '/things//',
      '//',
      '/things//parts/8',
      '/things/7/',
      '/things/7/parts/',
      '',
    ])
      expect(pathOf(path), path).to.equal(undefined);
  });

  it('returns undefined for longer and shorter paths', () => {
    for (const path of [
      '/thing',
      '/things/7/parts',
      '/things/7/parts/8/9',
      '/Things',
      '/constructor',
      '/__proto__',
      '/things/7/toString/8',
    ]) {
      expect(pathOf(path), path).to.equal(undefined);
    }
  });

  it('returns undefined for an escaped slash in a parameter', () => {
    for (const path of ['/things/a%2Fb', '/things/%2f', '/things%2Fdetail'])
      expect(pathOf(path), path).to.equal(undefined);
  });

  it('decodes parameters, except for invalid escapes', () => {
    expect(paramsOf('/things/a%20b%C3%A9')).to.deep.equal({ id: 'a bé' });
    expect(paramsOf('/things/a+b')).to.deep.equal({ id: 'a+b' });
    for (const name of ['%ff', '%', '%zz', '100%'])
      expect(paramsOf(`/things/${name}`), name).to.deep.equal({ id: name });
  });

  it('treats dots as plain characters', () => {
    expect(paramsOf('/things/..')).to.deep.equal({ id: '..' });
    expect(paramsOf('/things/.')).to.deep.equal({ id: '.' });
  });

  it('never throws for random paths', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('/', 'things', 'detail', '%', '2', 'F', 'é', '..') }),
        (path) => [true, false].includes(service.match(path) === undefined),
      ),
    );
  });

  it('accepts parameters with names of Object.prototype', () => {
    expect(Object.keys(paramsOf('/things/__proto__')!)).to.deep.equal(['id']);
    expect(paramsOf('/things/__proto__')!['id']).to.equal('__proto__');
  });
});

describe('selectRoute', () => {
  const chosen = (method: string, path: string, version: string): ReturnType<typeof selectRoute> =>
    selectRoute(service.match(path)!, method, toyVersions.find(version)!, toyVersions);

  it('selects by method and version', () => {
    expect(chosen('PUT', '/things/7', '1.1').route?.policy).to.equal('old');
    expect(chosen('PUT', '/things/7', '1.10').route?.policy).to.equal('new');
  });

  it('returns a route with the status outside of all spans', () => {
    expect(chosen('PUT', '/things/7', '1.2')).to.deep.equal({ outsideSpan: routes[5] });
    expect(chosen('DELETE', '/things/7', '1.0').outsideSpan?.statusOutsideSpan).to.equal(405);
    expect(chosen('POST', '/things', '1.1').outsideSpan?.statusOutsideSpan).to.equal(undefined);
  });

  it('returns nothing for a method that the path does not have', () => {
    expect(chosen('PATCH', '/things/7', '1.0')).to.deep.equal({});
    expect(chosen('HEAD', '/things', '1.0')).to.deep.equal({});
  });

  it('lists each method of a path once, in the order of the table', () => {
    expect(methodsOf(service.match('/things/7')!.routes)).to.deep.equal(['GET', 'PUT', 'DELETE']);
  });
});
