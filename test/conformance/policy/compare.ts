// Compares the effect of the services' policy rules with upstream's: evaluates each rule of both
// for the same callers and targets.
//
// usage: node --import tsx test/conformance/policy/compare.ts SERVICE=CHECKOUT[,CHECKOUT] ...
// [--absent]
//
// Fails if a rule allows more or less than upstream's, if upstream does not have the rule, or if a
// rule is missing although its operation is served, unless `compare-intended.ts` gives a reason.
// `--absent` lists upstream's rules for operations that are not served.
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
import { intended } from './compare-intended.ts';
import { packages, plainPath, rulesOf, type UpstreamRule } from './upstream.ts';

/** The ids of the callers. */
const [user, project, domain] = ['user-1', 'project-1', 'domain-1'];

/** Callers in every scope, with every role that rules name. */
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

/**
 * Finds the target keys that the rules of one name read, with the values that they are compared
 * with.
 */
function keysRead(rules: readonly RuleDefaults[], name: string): Map<string, Set<unknown>> {
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

/** The caller's own value for a key, derived from the key's name. */
function own(key: string): unknown[] {
  if (key.includes('domain')) return [domain];
  if (/user|trustor|trustee/.test(key)) return [user];
  return /project|tenant|owner|member_id/.test(key) ? [project] : [user, project, domain];
}

const maxTargets = 20_000;

/** All combinations of these values as targets, or a random selection if there are too many. */
function targets(keys: ReadonlyMap<string, ReadonlySet<unknown>>): Target[] {
  const lists = [...keys].map(([key, values]) => [...values].map((value) => ({ [key]: value })));
  const count = lists.reduce((product, list) => product * list.length, 1);
  const merged = (parts: readonly Target[]): Target =>
    Object.fromEntries(
      parts.flatMap((part) => Object.entries(part)).filter(([, value]) => value !== undefined),
    );
  const dice = new SeededRandom(1);
  if (count > maxTargets)
    return Array.from({ length: maxTargets }, () => merged(lists.map((list) => dice.pick(list))));
  return lists
    .reduce<Target[][]>(
      (rows, list) => rows.flatMap((row) => list.map((one) => [...row, one])),
      [[]],
    )
    .map(merged);
}

/** Replaces Neutron's second name for a project's id. */
const withProjectId = (rule: string): string => rule.replaceAll('tenant_id', 'project_id');

/**
 * Finds callers for which two rules differ, with the first such target of each.
 * @param isChecked whether operations check the rule directly, so that its scopes apply
 */
function differences(
  name: string,
  ours: RuleDefaults,
  theirs: RuleDefaults,
  isChecked: boolean,
): string[] {
  const [own, upstream] = [loadPolicy(ours, {}), loadPolicy(theirs, {})];
  const isAllowed = (policy: typeof own, credentials: Credentials, target: Target): boolean =>
    (!isChecked || policy.scopeMatches(name, credentials)) &&
    policy.allows(name, credentials, target);
  const found = new Map<string, string>();
  for (const target of targets(keysRead([ours, theirs], name))) {
    for (const credentials of callers()) {
      const here = isAllowed(own, credentials, target);
      if (here === isAllowed(upstream, credentials, target)) continue;
      const scope = credentials.system_scope
        ? 'system'
        : credentials.domain_id
          ? 'domain'
          : 'project';
      const who = `${credentials.roles[0] ?? 'no role'} in a ${scope}`;
      found.set(
        `${who}${here}`,
        `Cumulet ${here ? 'allows' : 'refuses'} ${who} on ${JSON.stringify(target)}`,
      );
    }
  }
  return [...found.values()];
}

/**
 * Whether Cumulet serves an operation of the rule. Actions are named in the path:
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
    upstream.map(({ name, rule, scopes }) => [name, { rule: withProjectId(rule), scopes }]),
  );
  let unintended = 0;
  const reportDifference = (name: string, what: string, lines: readonly string[] = []): void => {
    const reason = intended[definition.name]?.[name];
    if (reason === undefined) unintended++;
    console.log(
      `${definition.name} ${name}: ${what}${reason === undefined ? '' : ` (intended: ${reason})`}`,
    );
    if (reason === undefined) for (const line of lines.slice(0, 6)) console.log(`    ${line}`);
  };
  for (const name of Object.keys(ours)) {
    if (!Object.hasOwn(theirs, name)) {
      reportDifference(name, 'upstream has no such rule');
      continue;
    }
    const isChecked = upstream.some((rule) => rule.name === name && rule.operations.length > 0);
    const lines = differences(name, ours, theirs, isChecked);
    if (lines.length) reportDifference(name, 'differs', lines);
  }
  for (const rule of upstream) {
    if (Object.hasOwn(ours, rule.name)) continue;
    const operations = rule.operations.map(({ method, path }) => `${String(method)} ${path}`);
    if (isServed(rule, definition))
      reportDifference(rule.name, `is missing: ${operations.join(', ')}`);
    else if (absent && operations.length)
      console.log(`${definition.name} ${rule.name}: not served`);
  }
  return unintended;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { absent: { type: 'boolean', default: false } },
});
let unintended = 0;
for (const argument of positionals) {
  const [service = '', checkouts = ''] = argument.split('=');
  const definition = serviceDefinitions.find(({ name }) => name === service);
  if (!definition || !packages[service])
    throw new Error(`Unknown SERVICE ${service}: use one of ${Object.keys(packages).join(', ')}.`);
  const upstream = rulesOf(service, checkouts.split(','));
  unintended += compare(definition, upstream, values.absent);
  console.log(
    `${service}: ${Object.keys(definition.policy).length} rules, ${upstream.length} upstream`,
  );
}
if (unintended) {
  console.log(`${unintended} unintended differences`);
  process.exitCode = 1;
}
