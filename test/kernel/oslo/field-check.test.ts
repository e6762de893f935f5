// Tests of Neutron's policy checks of attributes.
import { expect } from 'chai';
import { loadPolicy, parseRule, type Target } from '../../../src/kernel/oslo/policy.ts';

const allows = (rule: string, target: Target): boolean =>
  loadPolicy({ asked: rule }, {}).allows('asked', { roles: [] }, target);

describe('a field check', () => {
  it('compares the attribute with a word', () => {
    expect(allows('field:networks:shared=True', { shared: true })).to.equal(true);
    expect(allows('field:networks:shared=true', { shared: true })).to.equal(true);
    expect(allows('field:networks:shared=True', { shared: false })).to.equal(false);
    expect(allows('field:networks:shared=False', {})).to.equal(false);
    expect(allows('field:networks:router:external=True', { 'router:external': true })).to.equal(
      true,
    );
    expect(allows('field:ports:name=a=b', { name: 'a=b' })).to.equal(true);
    expect(allows('field:ports:name=a', { name: null })).to.equal(false);
  });

  it('matches the attribute against a pattern, anchored at the start', () => {
    const rule = 'field:port:device_owner=~^network:';
    expect(allows(rule, { device_owner: 'network:dhcp' })).to.equal(true);
    expect(allows(rule, { device_owner: 'compute:network:' })).to.equal(false);
    expect(allows('field:port:device_owner=~net|x', { device_owner: 'a x' })).to.equal(false);
    expect(allows(`not ${rule}`, { device_owner: '' })).to.equal(true);
  });

  it('is rejected if it is incomplete', () => {
    for (const rule of ['field:shared=True', 'field:networks:shared', 'field:networks:shared=~['])
      expect(() => parseRule(rule)).to.throw(`"${rule}"`);
  });
});
