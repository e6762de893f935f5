// The policy rules of the services: those that operations name are there, and the tables can be
// read.
import { expect } from 'chai';
import { loadPolicy } from '../../src/kernel/oslo/policy.ts';
import { serviceDefinitions } from '../../src/services/index.ts';

for (const { name, policy, routes } of serviceDefinitions) {
  describe(`the rules of ${name}`, () => {
    it('can be read, and refer to rules that there are', () => {
      expect(loadPolicy(policy, {}).problems).to.deep.equal([]);
    });

    it('are there for every operation that names one', () => {
      const named = routes.flatMap((route) => (route.policy === undefined ? [] : [route.policy]));
      expect(named.filter((rule) => !Object.hasOwn(policy, rule))).to.deep.equal([]);
    });
  });
}
