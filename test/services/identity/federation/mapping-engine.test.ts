// The rules of mappings: what they make of an assertion.
import { expect } from 'chai';
import {
  assertionOf,
  evaluateMapping,
  type Mapped,
} from '../../../../src/services/identity/domain/federation/mapping-engine.ts';
import { listOf } from '../../../../src/services/identity/domain/federation/python-lists.ts';
import type { MappingRule, MappingVersion } from '../../../../src/services/identity/model.ts';
import { expectLinear } from '../../../support/linear-cost.ts';

const ann = { NAME: 'ann', MAIL: 'ann@x', GROUPS: 'dev;ops;dev', TEAM: "o'neill" };

/** What rules make of an assertion, by default that of ann. */
const map = (
  rules: readonly MappingRule[],
  attributes: Record<string, string> = ann,
  schemaVersion: MappingVersion = '1.0',
): Mapped => evaluateMapping({ id: 'm', rules, schemaVersion }, assertionOf(attributes));
const name = { local: [{ user: { name: '{0}' } }], remote: [{ type: 'NAME' }] };
/** A rule that uses one requirement, before NAME, for the user’s name. */
const given = (requirement: object): MappingRule => ({
  local: [{ user: { name: '{0}' } }],
  remote: [requirement, { type: 'NAME' }],
});
const refused = (status: number, rules: readonly MappingRule[], version?: MappingVersion): void => {
  expect(() => map(rules, ann, version))
    .to.throw()
    .with.property('status', status);
};

describe('identity: the rules of a mapping', () => {
  it('make an ephemeral user of direct values', () => {
    const rule = {
      local: [{ user: { name: '{0} <{1}>', id: 'x-{0}', email: '{1}', domain: { id: 'd' } } }],
      remote: [{ type: 'NAME' }, { type: 'MAIL' }],
    };
    expect(map([rule])).to.deep.equal({
      user: {
        name: 'ann <ann@x>',
        id: 'x-ann',
        email: 'ann@x',
        domain: { id: 'd' },
        type: 'ephemeral',
      },
      groupIds: [],
      groups: [],
      projects: [],
    });
  });

  it('do not apply without an attribute, and return 401 if none applies', () => {
    const other = { local: [{ user: { name: 'other' } }], remote: [{ type: 'NONE' }] };
    expect(map([other, name]).user.name).to.equal('ann');
    refused(401, [other]);
  });

  it('apply with any_one_of and not_any_of, which give no direct value', () => {
    expect(map([given({ type: 'GROUPS', any_one_of: ['ops', 1] })]).user.name).to.equal('ann');
    refused(401, [given({ type: 'GROUPS', any_one_of: ['op'] })]);
    expect(map([given({ type: 'GROUPS', not_any_of: ['op'] })]).user.name).to.equal('ann');
    refused(401, [given({ type: 'GROUPS', not_any_of: ['ops'] })]);
  });

  it('search with regular expressions', () => {
    const regex = true;
    expect(map([given({ type: 'GROUPS', any_one_of: ['^o'], regex })]).user.name).to.equal('ann');
    refused(401, [given({ type: 'GROUPS', any_one_of: ['^p'], regex })]);
    refused(401, [given({ type: 'GROUPS', not_any_of: ['p'], regex })]);
    refused(400, [given({ type: 'GROUPS', any_one_of: ['(?=x)'], regex })]);
  });

  it('filter values with whitelist and blacklist', () => {
    const groups = (requirement: object): string[] =>
      map([
        {
          local: [{ user: { name: 'x' } }, { groups: '{0}', domain: { name: 'D' } }],
          remote: [{ type: 'GROUPS', ...requirement }],
        },
      ]).groups.map((one) => one.name);
    expect(groups({})).to.deep.equal(['dev', 'ops']);
    expect(groups({ whitelist: ['ops', 'none'] })).to.deep.equal(['ops']);
    expect(groups({ blacklist: ['ops'] })).to.deep.equal(['dev']);
    expect(groups({ whitelist: ['^d'], regex: true })).to.deep.equal(['dev']);
    expect(groups({ blacklist: ['^d'], regex: true })).to.deep.equal(['ops']);
    expect(groups({ whitelist: [] })).to.deep.equal([]);
  });

  it('put several values into one text as a list', () => {
    const rule = { local: [{ user: { name: '{{{0}}} {}' } }], remote: [{ type: 'GROUPS' }] };
    expect(map([rule]).user.name).to.equal("{['dev', 'ops', 'dev']} ['dev', 'ops', 'dev']");
  });

  it('return 400 for a value that the remote part does not have', () => {
    for (const text of ['{1}', '{x}', '{', '}'])
      refused(400, [{ ...name, local: [{ user: { name: text } }] }]);
  });

  it('collect groups by id and by name from all rules, each once', () => {
    const rules = [
      name,
      {
        local: [
          { group: { id: 'g' } },
          { group_ids: '{0}' },
          { group: { name: 'dev', domain: { name: 'D' } } },
          { groups: '{0}', domain: { name: 'D' } },
          { groups: '{1}', domain: { name: 'D' } },
        ],
        remote: [{ type: 'GROUPS', any_one_of: ['dev'] }, { type: 'GROUPS' }, { type: 'TEAM' }],
      },
    ];
    const { groupIds, groups } = map(rules);
    expect(groupIds).to.deep.equal(['g', 'dev', 'ops']);
    expect(groups).to.deep.equal(
      ['dev', 'ops', "o'neill"].map((one) => ({ name: one, domain: { name: 'D' } })),
    );
    refused(401, [{ local: [{ groups: 'x' }], remote: name.remote }]);
  });

  it('read groups with their domains from JSON', () => {
    const json = (text: string): Mapped =>
      map([{ local: [{ groups: '{0}' }], remote: [{ type: 'G' }] }], { G: text });
    const group = { name: 'g', domain: { name: 'D' } };
    expect(json(`JSON:${JSON.stringify(group)}`).groups).to.deep.equal([group]);
    for (const text of ['name', 'JSON:{"name":"g"}', 'JSON:name'])
      expect(() => json(text))
        .to.throw()
        .with.property('status', 401);
  });

  it('take the first user, and the domain of the last part from version 2.0 on', () => {
    const last = { local: [{ user: { name: 'b' }, domain: { id: 'd' } }], remote: name.remote };
    expect(map([name, last]).user).to.deep.equal({
      name: 'ann',
      type: 'ephemeral',
      domain: undefined,
    });
    expect(map([name, last], ann, '2.0').user.domain).to.deep.equal({ id: 'd' });
    const local = { ...name, local: [{ user: { name: '{0}', type: 'local' as const } }] };
    expect(map([local]).user.type).to.equal('local');
  });

  it('give projects, in the domain of their part from version 2.0 on', () => {
    const project = { name: 'of {0}', roles: [{ name: 'member' }] };
    const rule = {
      local: [{ user: { name: '{0}' } }, { projects: [project], domain: { id: 'd' } }],
      remote: name.remote,
    };
    const made = { name: 'of ann', roles: [{ name: 'member' }] };
    expect(map([rule]).projects).to.deep.equal([made]);
    expect(map([rule], ann, '2.0').projects).to.deep.equal([{ ...made, domain: { id: 'd' } }]);
  });

  it('read projects from JSON in version 3.0', () => {
    const project = { name: 'p', roles: [{ name: 'member' }], domain: { id: 'd' } };
    const json = (text: string): Mapped =>
      map([{ local: [{ projects_json: '{0}' }], remote: [{ type: 'P' }] }], { P: text }, '3.0');
    expect(json(JSON.stringify([project])).projects).to.deep.equal([project]);
    for (const wrong of ['{', '{}', '[1]', '[{"name":1,"roles":[]}]', '[{"name":"p","roles":[]}];'])
      expect(() => json(wrong))
        .to.throw()
        .with.property('status', 401);
    refused(400, [{ local: [{ projects_json: '{5}' }], remote: name.remote }], '3.0');
  });

  it('take time linear in the assertion', () =>
    expectLinear(5000, (size) => {
      const values = Array.from({ length: size }, (_, at) => `group-${at}`);
      const rule = {
        local: [{ groups: '{0}', domain: { id: 'd' } }, { user: { name: 'x' } }],
        remote: [{ type: 'GROUPS', whitelist: values }],
      };
      expect(map([rule], { GROUPS: values.join(';') }).groups).to.have.length(size);
    }));
});

describe('identity: lists as Python writes them', () => {
  it('are read with their escapes', () => {
    expect(listOf(`['a', "o'b", 'c\\'d', 'e\\x41\\u00e9\\\\n',]`)).to.deep.equal([
      'a',
      "o'b",
      "c'd",
      'eAé\\n',
    ]);
    expect(listOf('[]')).to.deep.equal([]);
  });

  it('are plain texts if they have anything but texts', () => {
    for (const text of ['a', '[a]', "['a' 'b']", "['a', 1]", "['a'", "[['a']]"])
      expect(listOf(text), text).to.deep.equal([text]);
  });
});
