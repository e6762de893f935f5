// Tests that the policy rules of each service parse, and that every rule that an operation names
// exists.
import { expect } from 'chai';
import { loadPolicy } from '../../src/kernel/oslo/policy.ts';
import { serviceDefinitions } from '../../src/services/index.ts';

for (const { name, policy, routes } of serviceDefinitions) {
  describe(`the policy rules of ${name}`, () => {
    it('parse, and refer only to existing rules', () => {
      expect(loadPolicy(policy, {}).problems()).to.deep.equal([]);
    });

    it('exist for every operation that names one', () => {
      const named = routes.flatMap((route) => (route.policy === undefined ? [] : [route.policy]));
      expect(named.filter((rule) => !Object.hasOwn(policy, rule))).to.deep.equal([]);
    });
  });
}
