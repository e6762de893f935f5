// Tests of the rule language, of loaded policies, and of policy files.

import { expect } from 'chai';
import {
  type Credentials,
  loadPolicy,
  parseRule,
  type PolicyOptions,
  readPolicyFile,
  type RuleDefaults,
  type RuleText,
} from '../../../src/kernel/oslo/policy.ts';

type Who = Partial<Credentials>;

const who = (credentials: Who = {}): Credentials => ({ roles: [], ...credentials });

/** Whether a rule allows these credentials to act on this target. */
function allows(
  rule: RuleText,
  credentials: Who = {},
  target: Record<string, unknown> = {},
): boolean {
  parseRule(rule);
  return loadPolicy({}, { it: rule }).allows('it', who(credentials), target);
}

describe('a policy rule', () => {
  describe('that is constant', () => {
    it('allows everyone when it is "@", empty, or an empty list', () => {
      for (const rule of ['@', '', []]) expect(allows(rule), JSON.stringify(rule)).to.equal(true);
    });

    it('denies everyone when it is "!"', () => {
      expect(allows('!', { roles: ['admin'], is_admin: true })).to.equal(false);
    });
  });

  describe('with a role check', () => {
    it('holds for a caller with the role, ignoring case', () => {
      expect(allows('role:Admin', { roles: ['reader', 'aDMIN'] })).to.equal(true);
      expect(allows('role:admin', { roles: ['administrator'] })).to.equal(false);
    });

    it('may take the name of the role from the target', () => {
      expect(
        allows('role:%(project)s-admin', { roles: ['blue-admin'] }, { project: 'Blue' }),
      ).to.equal(true);
      expect(
        allows('role:%(project)s-admin', { roles: ['blue-admin'] }, { project: 'red' }),
      ).to.equal(false);
      expect(allows('role:%(project)s', { roles: ['undefined', ''] }, {})).to.equal(false);
    });
  });

  describe('with a check of credentials', () => {
    it('compares a key with constant text', () => {
      expect(allows('system_scope:all', { system_scope: 'all' })).to.equal(true);
      expect(allows('system_scope:all', { project_id: 'all' })).to.equal(false);
      expect(allows('is_admin:True', { is_admin: true })).to.equal(true);
      expect(allows('is_admin:true', { is_admin: true })).to.equal(false);
    });

    it('accepts both names of the system scope', () => {
      expect(allows('system:all', { system_scope: 'all' })).to.equal(true);
      expect(allows('system:all')).to.equal(false);
    });

    it('compares a key with the target', () => {
      const own = 'project_id:%(project_id)s';
      expect(allows(own, { project_id: 'p1' }, { project_id: 'p1' })).to.equal(true);
      expect(allows(own, { project_id: 'p1' }, { project_id: 'p2' })).to.equal(false);
    });

    it('denies when the key is absent on either side or on both, inherited names included', () => {
      const own = 'project_id:%(project_id)s';
      expect(allows(own, { project_id: 'p1' }, {})).to.equal(false);
      expect(allows(own, {}, { project_id: 'p1' })).to.equal(false);
      expect(allows(own, {}, {})).to.equal(false);
      expect(allows(own, { project_id: undefined }, { project_id: undefined })).to.equal(false);
      expect(allows('constructor.name:Object')).to.equal(false);
      expect(allows('toString:%(toString)s')).to.equal(false);
    });

    it('treats a dotted key of the target as one key', () => {
      const rule = 'user_id:%(target.token.user_id)s';
      expect(allows(rule, { user_id: 'u' }, { 'target.token.user_id': 'u' })).to.equal(true);
      expect(allows(rule, { user_id: 'u' }, { target: { token: { user_id: 'u' } } })).to.equal(
        false,
      );
    });

    it('follows a dotted key of the credentials, through lists to any element', () => {
      const token = { user: { id: 'u1' }, roles: [{ name: 'member' }, { name: 'admin' }] };
      expect(allows('token.user.id:u1', { token })).to.equal(true);
      expect(allows('token.user.id:u2', { token })).to.equal(false);
      expect(allows('token.roles.name:admin', { token })).to.equal(true);
      expect(allows('token.roles.name:owner', { token })).to.equal(false);
      expect(allows('token.user.id.more:u1', { token })).to.equal(false);
      expect(allows('service_roles:service', { service_roles: ['other', 'service'] })).to.equal(
        true,
      );
    });

    it('may combine text and target, with %% for a percent sign, and colons in the text', () => {
      expect(allows('tag:%(a)s-of-%(b)s', { tag: 'x-of-3' }, { a: 'x', b: 3 })).to.equal(true);
      expect(allows('share:100%%', { share: '100%' })).to.equal(true);
      expect(allows('urn:a:b', { urn: 'a:b' })).to.equal(true);
    });
  });

  describe('with a literal', () => {
    it('compares a quoted word with the target', () => {
      for (const rule of [`'Member':%(target.role.name)s`, `"Member":%(target.role.name)s`]) {
        expect(allows(rule, {}, { 'target.role.name': 'Member' })).to.equal(true);
        expect(allows(rule, { Member: 'x' }, { 'target.role.name': 'x' })).to.equal(false);
      }
    });

    it('writes True, False, None and numbers as Python does', () => {
      expect(allows('True:%(user.enabled)s', {}, { 'user.enabled': true })).to.equal(true);
      expect(allows('True:%(user.enabled)s', {}, { 'user.enabled': false })).to.equal(false);
      expect(allows('False:%(user.enabled)s', {}, { 'user.enabled': false })).to.equal(true);
      expect(allows('None:%(domain_id)s', {}, { domain_id: null })).to.equal(true);
      expect(allows('None:%(domain_id)s', {}, { domain_id: 'd' })).to.equal(false);
      expect(allows('None:%(domain_id)s', {}, {})).to.equal(false);
      expect(allows('-1:%(limit)s', {}, { limit: -1 })).to.equal(true);
      expect(allows('1.50:%(ratio)s', {}, { ratio: 1.5 })).to.equal(true);
    });
  });

  describe('with several checks', () => {
    const held = (rule: string, letters: string): boolean =>
      allows(rule, { roles: letters.split('') });

    it('binds "not" before "and", and "and" before "or"', () => {
      expect(held('role:a or role:b and role:c', 'a')).to.equal(true);
      expect(held('role:a or role:b and role:c', 'b')).to.equal(false);
      expect(held('role:a and role:b or role:c', 'c')).to.equal(true);
      expect(held('not role:a and role:b', '')).to.equal(false);
      expect(held('not role:a or role:b', 'ab')).to.equal(true);
      expect(held('not not role:a', 'a')).to.equal(true);
    });

    it('accepts parentheses with or without spaces', () => {
      expect(held('(role:a or role:b) and role:c', 'a')).to.equal(false);
      expect(held('(role:a or role:b) and role:c', 'bc')).to.equal(true);
      expect(held('not ( role:a or role:b )', 'b')).to.equal(false);
      expect(held('((role:a) and (not (role:b or role:c)))', 'a')).to.equal(true);
      expect(
        allows('(role:a or user_id:%(user_id)s)', { user_id: 'u' }, { user_id: 'u' }),
      ).to.equal(true);
    });

    it('accepts operators in any case, over several lines', () => {
      expect(held('role:a AND\n  NOT role:b Or\trole:c', 'a')).to.equal(true);
      expect(held('role:a AND\n  NOT role:b Or\trole:c', 'ab')).to.equal(false);
    });
  });

  describe('in the older list format', () => {
    it('requires all checks of any one list', () => {
      const rule = [['role:a', 'role:b'], ['role:c'], 'role:d'];
      expect(allows(rule, { roles: ['a'] })).to.equal(false);
      expect(allows(rule, { roles: ['a', 'b'] })).to.equal(true);
      expect(allows(rule, { roles: ['c'] })).to.equal(true);
      expect(allows(rule, { roles: ['d'] })).to.equal(true);
    });

    it('denies everyone when all its lists are empty', () => {
      expect(allows([[], []])).to.equal(false);
    });
  });

  describe('that is malformed', () => {
    const cases: [rule: RuleText, message: RegExp][] = [
      ['admin', /"admin" is not a check/],
      ['role:a admin', /unexpected "admin" in "role:a admin"/],
      ['role:a and', /missing after "and"/],
      ['or role:a', /unexpected "or"/],
      ['(role:a', /"\(" is never closed/],
      ['(role:a role:b)', /unexpected "role:b"/],
      ['role:a)', /unexpected "\)"/],
      ['not', /missing after "not"/],
      ['   ', /blanks only/],
      [':x', /":x" is not a check/],
      ["'admin'", /"'admin'" is not a check/],
      ["'a:b'", /neither a key/],
      ['%(x)s:y', /neither a key/],
      ['not(role:a)', /"not\(role:a"/],
      ['user_id:%(user_id)d', /only %\(key\)s/],
      ['http://policy.example/check', /remote server/],
      [[['role:a', 'b']], /"b" is not a check/],
    ];
    for (const [rule, message] of cases) {
      it(`is rejected with the invalid token: ${JSON.stringify(rule)}`, () => {
        expect(() => parseRule(rule)).to.throw(Error, message);
      });
    }
  });
});

describe('a loaded policy', () => {
  const admin = who({ roles: ['admin'] });
  const reader = who({ roles: ['reader'] });

  it('follows references to other rules, whatever their order', () => {
    const policy = loadPolicy(
      { 'x:get': 'rule:reader or rule:admin', admin: 'role:admin', reader: 'role:reader' },
      {},
    );
    expect(policy.problems()).to.deep.equal([]);
    expect(policy.allows('x:get', admin, {})).to.equal(true);
    expect(policy.allows('x:get', reader, {})).to.equal(true);
    expect(policy.allows('x:get', who(), {})).to.equal(false);
  });

  it('lets an override replace a default, also where another rule refers to it', () => {
    const policy = loadPolicy(
      { admin: 'role:admin', 'x:get': 'rule:admin' },
      { admin: [['role:reader']] },
    );
    expect(policy.allows('x:get', reader, {})).to.equal(true);
    expect(policy.allows('x:get', admin, {})).to.equal(false);
  });

  it('denies an unknown rule, inherited names included', () => {
    const policy = loadPolicy({ 'x:get': '@' }, {});
    for (const name of ['x:put', 'constructor', '__proto__'])
      expect(policy.allows(name, admin, {}), name).to.equal(false);
  });

  it('uses the rule "default" for an unknown rule', () => {
    const policy = loadPolicy({ 'x:get': '!', default: 'role:admin' }, {});
    expect(policy.allows('x:put', admin, {})).to.equal(true);
    expect(policy.allows('x:put', reader, {})).to.equal(false);
    expect(policy.allows('x:get', admin, {})).to.equal(false);
  });

  it('reports a reference to an unknown rule, and denies', () => {
    const policy = loadPolicy(
      {},
      { 'x:get': 'rule:nobody or role:reader' },
      { fileName: 'nova.yaml' },
    );
    expect(policy.problems()).to.deep.equal([
      'nova.yaml: rule "x:get": "rule:nobody" is not defined',
    ]);
    expect(policy.allows('x:get', admin, {})).to.equal(false);
    expect(policy.allows('x:get', reader, {})).to.equal(true);
  });

  it('uses "default" for a reference to an unknown rule, and reports it', () => {
    const policy = loadPolicy({ default: 'role:admin', 'x:get': 'rule:nobody' }, {});
    expect(policy.allows('x:get', admin, {})).to.equal(true);
    expect(policy.problems()[0]).to.match(/"rule:nobody" is not defined, so "default" is asked/);
  });

  it('reports a malformed rule with file and name, denies it, and keeps the others', () => {
    const policy = loadPolicy(
      { 'x:get': '@', 'x:put': '@' },
      { 'x:get': 'role:reader or admin' },
      { fileName: 'nova.yaml' },
    );
    expect(policy.problems()).to.have.length(1);
    expect(policy.problems()[0]).to.match(/^nova\.yaml: rule "x:get": "admin" is not a check/);
    expect(policy.allows('x:get', reader, {})).to.equal(false);
    expect(policy.allows('x:put', reader, {})).to.equal(true);
  });

  it('reports a malformed default as a default', () => {
    expect(loadPolicy({ 'x:get': 'admin' }, {}).problems()[0]).to.match(
      /^default of rule "x:get": "admin"/,
    );
  });

  it('reports circular rules, and denies them', () => {
    const policy = loadPolicy(
      {},
      { a: 'role:x or rule:b', b: 'not rule:c', c: 'rule:a', d: '@', e: 'rule:e' },
    );
    expect(policy.problems()).to.have.length(2);
    expect(policy.problems()[0]).to.match(/circle: a -> b -> c -> a$/);
    expect(policy.problems()[1]).to.match(/circle: e -> e$/);
    for (const name of ['a', 'b', 'c', 'e'])
      expect(policy.allows(name, who({ roles: ['x'] }), {}), name).to.equal(false);
    expect(policy.allows('d', admin, {})).to.equal(true);
  });

  it('reports a circle through the rule "default"', () => {
    const policy = loadPolicy({ default: 'rule:nobody' }, {});
    expect(policy.problems().join()).to.match(/circle: default -> default/);
    expect(policy.allows('anything', admin, {})).to.equal(false);
  });

  it('accepts two references to one rule', () => {
    const rules = {
      top: 'rule:left and rule:right',
      left: 'rule:base',
      right: 'rule:base',
      base: 'role:admin',
    };
    const policy = loadPolicy(rules, {});
    expect(policy.problems()).to.deep.equal([]);
    expect(policy.allows('top', admin, {})).to.equal(true);
  });

  describe('with deprecated defaults', () => {
    const defaults: RuleDefaults = {
      reshape: { rule: 'role:service', deprecated: 'role:admin' },
      post: 'rule:reshape',
    };
    const admits = (options: PolicyOptions, overrides = {}, name = 'reshape'): boolean =>
      loadPolicy(defaults, overrides, options).allows(name, admin, {});

    it('also accepts the deprecated rule, unless new defaults are enforced', () => {
      expect(admits({ enforceNewDefaults: false })).to.equal(true);
      expect(admits({ enforceNewDefaults: false }, {}, 'post')).to.equal(true);
      expect(admits({ enforceNewDefaults: true })).to.equal(false);
      const policy = loadPolicy(defaults, {}, { enforceNewDefaults: false });
      expect(policy.allows('reshape', who({ roles: ['service'] }), {})).to.equal(true);
    });

    it('enforces new defaults by default', () => {
      expect(admits({})).to.equal(false);
    });

    it('uses only the override if there is one', () => {
      expect(admits({ enforceNewDefaults: false }, { reshape: 'role:service' })).to.equal(false);
    });
  });

  describe('with scopes', () => {
    const policy = loadPolicy(
      { own: { rule: '@', scopes: ['project'] }, all: { rule: '@', scopes: ['system', 'domain'] } },
      { own: '@' },
    );
    const matching = (credentials: Who): string[] =>
      ['own', 'all', 'unknown'].filter((name) => policy.scopeMatches(name, who(credentials)));

    it("checks the token's scope (project by default), for overrides too", () => {
      expect(matching({ project_id: 'p' })).to.deep.equal(['own', 'unknown']);
      expect(matching({})).to.deep.equal(['own', 'unknown']);
      expect(matching({ system_scope: 'all' })).to.deep.equal(['all', 'unknown']);
      expect(matching({ domain_id: 'd' })).to.deep.equal(['all', 'unknown']);
    });
  });
});

describe('a policy file', () => {
  const read = (text: string) => readPolicyFile(text, 'placement.yaml');

  it('maps names to rules and to lists, in YAML or JSON', () => {
    expect(read('# all\n"x:get": "@"\n"x:put": [["role:a", "role:b"], "role:c"]\n')).to.deep.equal({
      'x:get': '@',
      'x:put': [['role:a', 'role:b'], 'role:c'],
    });
    expect(read('{"x:get": "role:a"}')).to.deep.equal({ 'x:get': 'role:a' });
  });

  it('may be empty', () => {
    for (const text of ['', '# The defaults in code.\n', '{}'])
      expect(read(text)).to.deep.equal({});
  });

  it('uses the last of duplicate names', () => {
    expect(read('"x": "!"\n"x": "@"')).to.deep.equal({ x: '@' });
  });

  const flaws: [text: string, message: RegExp][] = [
    ['- "x:get"', /mapping of rule names to rules is expected/],
    ['just text', /mapping of rule names to rules is expected/],
    ['"x": @', /reserved character @ at line 1, column 6/],
    ['"x": !', /rule "x": "!" must stand in quotes/],
    ['"x":', /rule "x": text in quotes is expected/],
    ['"x": true', /rule "x": text in quotes is expected/],
    ['"x": [[["role:a"]]]', /rule "x": text in quotes is expected/],
    ['"x": {"y": "@"}', /rule "x": text in quotes is expected/],
    ['"x": "@', /Missing closing "quote/],
  ];
  for (const [text, message] of flaws) {
    it(`is rejected with the file name: ${text}`, () => {
      expect(() => read(text)).to.throw(Error, /^placement\.yaml: /);
      expect(() => read(text)).to.throw(Error, message);
    });
  }

  describe('for Placement', () => {
    const usages = 'admin_or_project_reader_or_service_api';
    const deprecated = 'role:admin';
    const scopes = ['project'] as const;
    const defaults: RuleDefaults = {
      service_api: { rule: 'role:service', deprecated, scopes },
      admin_or_service_api: { rule: 'role:admin or role:service', deprecated, scopes },
      project_reader_api: { rule: 'role:reader and project_id:%(project_id)s', deprecated },
      [usages]: {
        rule: 'role:admin or rule:project_reader_api or role:service',
        deprecated,
        scopes,
      },
      'placement:traits:list': { rule: 'rule:admin_or_service_api', scopes },
      'placement:usages': { rule: `rule:${usages}`, scopes },
      'placement:reshaper:reshape': { rule: 'rule:service_api', scopes },
    };
    const names = ['placement:traits:list', 'placement:usages', 'placement:reshaper:reshape'];
    const allowed = (
      file: string,
      roles: string[],
      project_id = 'p1',
      options: PolicyOptions = {},
    ): string[] => {
      const policy = loadPolicy(defaults, read(file), options);
      expect(policy.problems()).to.deep.equal([]);
      return names.filter((name) =>
        policy.allows(name, who({ roles, project_id }), { project_id: 'p1' }),
      );
    };

    it('denies administrators the reshaper by default', () => {
      expect(allowed('{}', ['service'])).to.deep.equal(names);
      expect(allowed('{}', ['admin'])).to.deep.equal(names.slice(0, 2));
      expect(allowed('{}', ['member', 'reader'])).to.deep.equal(['placement:usages']);
      expect(allowed('{}', ['member', 'reader'], 'p2')).to.deep.equal([]);
    });

    it('allows administrators again, by one override or by the deprecated defaults', () => {
      const legacy = '"service_api": "role:service or role:admin"\n';
      expect(allowed(legacy, ['admin'])).to.deep.equal(names);
      expect(allowed(legacy, ['service'])).to.deep.equal(names);
      expect(allowed(legacy, ['member', 'reader'], 'p2')).to.deep.equal([]);
      expect(allowed('{}', ['admin'], 'p1', { enforceNewDefaults: false })).to.deep.equal(names);
    });

    it('may allow everyone, within the scopes', () => {
      const open = names.map((name) => `"${name}": "@"\n`).join('');
      expect(allowed(open, [])).to.deep.equal(names);
      const policy = loadPolicy(defaults, read(open));
      expect(policy.scopeMatches('placement:traits:list', who({ system_scope: 'all' }))).to.equal(
        false,
      );
    });
  });
});
