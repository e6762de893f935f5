// Tests of path patterns, which access rules, fault rules and journal filters use.
import { expect } from 'chai';
import { pathMatches } from '../../src/kernel/path-pattern.ts';

describe('pathMatches', () => {
  const cases: readonly [pattern: string, path: string, matches: boolean][] = [
    ['/v2.1/servers', '/v2.1/servers', true],
    ['/v2.1/servers', '/v2x1/servers', false],
    ['/v2.1/servers', '/v2.1/servers/1', false],
    ['/v2.1/servers/*', '/v2.1/servers/1', true],
    ['/v2.1/servers/*', '/v2.1/servers/1/ips', false],
    ['/v2.1/servers/*', '/v2.1/servers/', false],
    ['/v2.1/servers/{id}/ips', '/v2.1/servers/1/ips', true],
    ['/v2.1/servers/{id}/ips', '/v2.1/servers/1/2/ips', false],
    ['/v2.1/**', '/v2.1/servers/1/ips', true],
    ['/v2.1/**', '/v3/servers', false],
    ['**', '/anything/at/all', true],
    ['/a{b', '/a{b', true],
    ['/a(b', '/a(b', true],
  ];
  for (const [pattern, path, matches] of cases) {
    it(`returns ${matches} for ${path} with the pattern ${pattern}`, () => {
      expect(pathMatches(path, pattern)).to.equal(matches);
    });
  }
});
