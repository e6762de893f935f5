// Compares the policy rules of the services with upstream's, by meaning: each rule is asked about
// the same callers and targets.
//
// usage: node --import tsx test/conformance/policy/compare.ts SERVICE=CHECKOUT[,CHECKOUT] ...
// [--absent]
//
// It fails where a rule allows what upstream's does not, or the other way round, where a rule is
// not upstream's, and where upstream has a rule for an operation that is served here and we have
// none; but for those that `meant.ts` has a reason for. `--absent` lists upstream's rules that are
// for operations that are not served.
import { parseArgs } from 'node:util';
import {
  loadPolicy,
  parseRule,
  type Check,
  type Credentials,
  type RuleDefaults,
  type Target,
} from '../../../src/kernel/oslo/policy.ts';
import type { ServiceDefinition } from '../../../src/kernel/model.ts';
import { serviceDefinitions } from '../../../src/services/index.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { meant } from './meant.ts';
import { packages, plainPath, rulesOf, type UpstreamRule } from './upstream.ts';

/** The ids that callers have. */
const [user, project, domain] = ['user-1', 'project-1', 'domain-1'];

/** Callers of all scopes, with the roles that rules name. */
function callers(): Credentials[] {
  const roles = [
    [],
    ['reader'],
    ['member', 'reader'],
    ['manager', 'member', 'reader'],
    ['admin', 'manager', 'member', 'reader'],
    ['service'],
    ['advsvc'],
  ];
  const inProject = {
    project_id: project,
    project_domain_id: domain,
    token: { project: { id: project, domain: { id: domain } } },
  };
  const inDomain = { project_id: null, domain_id: domain, token: { domain: { id: domain } } };
  const inSystem = { project_id: null, system_scope: 'all', token: {} };
  return roles.flatMap((own) =>
    [inProject, inDomain, inSystem].map((scope) => ({
      user_id: user,
      user_domain_id: domain,
      domain_id: null,
      system_scope: null,
      is_admin: own.includes('admin'),
      ...scope,
      roles: own,
    })),
  );
}

/** What the rules of one name read of a target: keys, and the texts that they are compared with. */
function read(rules: readonly RuleDefaults[], name: string): Map<string, Set<unknown>> {
  const keys = new Map<string, Set<unknown>>();
  const add = (key: string, ...values: unknown[]): void => {
    const all = keys.get(key) ?? new Set<unknown>([undefined, null, 'another', ...own(key)]);
    values.forEach((value) => all.add(value));
    keys.set(key, all);
  };
  for (const table of rules) {
    const known = new Set<string>();
    const visit = (check: Check): void => {
      if (check.kind === 'and' || check.kind === 'or') check.checks.forEach(visit);
      else if (check.kind === 'not') visit(check.check);
      else if (check.kind === 'rule') follow(check.name);
      else if (check.kind === 'field')
        add(
          check.field,
          true,
          false,
          'network:dhcp',
          check.wanted instanceof RegExp ? 'x' : check.wanted,
        );
      else if ('match' in check)
        check.match.forEach(
          (key, place) => place % 2 && add(key, ...(check.kind === 'literal' ? [check.value] : [])),
        );
    };
    const follow = (inner: string): void => {
      const entry = table[inner];
      if (known.has(inner) || entry === undefined) return;
      known.add(inner);
      visit(parseRule(typeof entry === 'string' ? entry : entry.rule));
    };
    follow(name);
  }
  return keys;
}

/** The caller's own value of a key, by its name. */
function own(key: string): unknown[] {
  if (key.includes('domain')) return [domain];
  if (/user|trustor|trustee/.test(key)) return [user];
  return /project|tenant|owner|member_id/.test(key) ? [project] : [user, project, domain];
}

const most = 20_000;

/** All targets that differ in what is read; a random choice of them where they are too many. */
function targets(keys: ReadonlyMap<string, ReadonlySet<unknown>>): Target[] {
  const lists = [...keys].map(([key, values]) => [...values].map((value) => ({ [key]: value })));
  const count = lists.reduce((product, list) => product * list.length, 1);
  const merged = (parts: readonly Target[]): Target =>
    Object.fromEntries(
      parts.flatMap((part) => Object.entries(part)).filter(([, value]) => value !== undefined),
    );
  const dice = new SeededRandom(1);
  if (count > most)
    return Array.from({ length: most }, () => merged(lists.map((list) => dice.pick(list))));
  return lists
    .reduce<Target[][]>(
      (rows, list) => rows.flatMap((row) => list.map((one) => [...row, one])),
      [[]],
    )
    .map(merged);
}

/** Neutron's rules and ours say a project's id in the same word. */
const words = (rule: string): string => rule.replaceAll('tenant_id', 'project_id');

/**
 * The first callers and targets about which two rules differ.
 * @param asked whether the rule is asked itself, so that its scopes count
 */
function differences(
  name: string,
  ours: RuleDefaults,
  theirs: RuleDefaults,
  asked: boolean,
): string[] {
  const [mine, upstream] = [loadPolicy(ours, {}), loadPolicy(theirs, {})];
  const may = (policy: typeof mine, credentials: Credentials, target: Target): boolean =>
    (!asked || policy.scopeMatches(name, credentials)) && policy.allows(name, credentials, target);
  const found = new Map<string, string>();
  for (const target of targets(read([ours, theirs], name))) {
    for (const credentials of callers()) {
      const here = may(mine, credentials, target);
      if (here === may(upstream, credentials, target)) continue;
      const scope = credentials.system_scope
        ? 'system'
        : credentials.domain_id
          ? 'domain'
          : 'project';
      const who = `${credentials.roles[0] ?? 'no role'} in a ${scope}`;
      found.set(
        `${who}${here}`,
        `${here ? 'we allow' : 'we refuse'} ${who} on ${JSON.stringify(target)}`,
      );
    }
  }
  return [...found.values()];
}

/**
 * Whether an operation of the rule is served. An action is named in the path:
 * `/servers/{server_id}/action (pause)`.
 */
function isServed({ operations }: UpstreamRule, { routes }: ServiceDefinition): boolean {
  return operations.some(({ path, method }) => {
    const action = /\(([\w-]+)/.exec(path)?.[1];
    return routes.some(
      (route) =>
        [method].flat().some((one) => route.method === one.toUpperCase()) &&
        plainPath(route.path) === plainPath(path) &&
        (action === undefined || !route.actions || Object.hasOwn(route.actions, action)),
    );
  });
}

function compare(
  definition: ServiceDefinition,
  upstream: readonly UpstreamRule[],
  absent: boolean,
): number {
  const ours = definition.policy;
  const theirs: RuleDefaults = Object.fromEntries(
    upstream.map(({ name, rule, scopes }) => [name, { rule: words(rule), scopes }]),
  );
  let faults = 0;
  const tell = (name: string, what: string, lines: readonly string[] = []): void => {
    const reason = meant[definition.name]?.[name];
    if (reason === undefined) faults++;
    console.log(
      `${definition.name} ${name}: ${what}${reason === undefined ? '' : ` (meant: ${reason})`}`,
    );
    if (reason === undefined) for (const line of lines.slice(0, 6)) console.log(`    ${line}`);
  };
  for (const name of Object.keys(ours)) {
    if (!Object.hasOwn(theirs, name)) {
      tell(name, 'upstream has no such rule');
      continue;
    }
    const asked = upstream.some((rule) => rule.name === name && rule.operations.length > 0);
    const lines = differences(name, ours, theirs, asked);
    if (lines.length) tell(name, 'differs', lines);
  }
  for (const rule of upstream) {
    if (Object.hasOwn(ours, rule.name)) continue;
    if (isServed(rule, definition))
      tell(
        rule.name,
        `is missing: ${rule.operations.map(({ method, path }) => `${String(method)} ${path}`).join(', ')}`,
      );
    else if (absent && rule.operations.length)
      console.log(`${definition.name} ${rule.name}: not served`);
  }
  return faults;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { absent: { type: 'boolean', default: false } },
});
let faults = 0;
for (const argument of positionals) {
  const [service = '', checkouts = ''] = argument.split('=');
  const definition = serviceDefinitions.find(({ name }) => name === service);
  if (!definition || !packages[service])
    throw new Error(`SERVICE is one of ${Object.keys(packages).join(', ')}, and not ${service}.`);
  const upstream = rulesOf(service, checkouts.split(','));
  faults += compare(definition, upstream, values.absent);
  console.log(
    `${service}: ${Object.keys(definition.policy).length} rules here, ${upstream.length} upstream`,
  );
}
if (faults) {
  console.log(`${faults} differences that are not meant`);
  process.exitCode = 1;
}
