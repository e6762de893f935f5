// The contract and the code define the same attributes.
import { expect } from 'chai';
import { Contract } from '../../../src/kernel/contract/contract.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import type { AttributeMap } from '../../../src/services/network/domain/attributes/definitions.ts';
import { networkAttributes } from '../../../src/services/network/domain/networks/attributes.ts';
import { portAttributes } from '../../../src/services/network/domain/ports/attributes.ts';
import { routerAttributes } from '../../../src/services/network/domain/routers/attributes.ts';
import { floatingipAttributes } from '../../../src/services/network/domain/routers/floatingip-attributes.ts';
import {
  groupAttributes,
  ruleAttributes,
} from '../../../src/services/network/domain/security-groups/attributes.ts';
import { subnetAttributes } from '../../../src/services/network/domain/subnets/attributes.ts';

describe('network: attributes in the contract', () => {
  const maps: Record<string, AttributeMap> = {
    Network: networkAttributes,
    Subnet: subnetAttributes,
    Port: portAttributes,
    Router: routerAttributes,
    Floatingip: floatingipAttributes,
    SecurityGroup: groupAttributes,
    SecurityGroupRule: ruleAttributes,
  };
  const schemas = (new Contract('network').load()['components'] as JsonObject)['schemas'] as Record<
    string,
    { properties: JsonObject }
  >;
  const names = (
    map: AttributeMap,
    having: (attribute: AttributeMap['attributes'][string]) => unknown,
  ): string[] =>
    Object.entries(map.attributes).flatMap(([name, attribute]) =>
      having(attribute) ? [name] : [],
    );

  for (const [schema, map] of Object.entries(maps)) {
    it(`defines the same attributes of ${map.resource} as the code`, () => {
      expect(Object.keys(schemas[schema]!.properties)).to.have.members(
        names(map, ({ visible = true }) => visible),
      );
      expect(Object.keys(schemas[`${schema}New`]!.properties)).to.have.members(
        names(map, ({ post }) => post),
      );
      const update = schemas[`${schema}Update`]?.properties[map.resource] as
        { properties: JsonObject } | undefined;
      expect(Object.keys(update?.properties ?? {})).to.have.members(names(map, ({ put }) => put));
    });
  }
});
