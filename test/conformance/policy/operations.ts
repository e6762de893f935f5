// Compares the rules that each operation checks with those that upstream's documentation names for
// it.
//
// usage: node --import tsx test/conformance/policy/operations.ts SERVICE=CHECKOUT[,CHECKOUT] ...
// [--verbose]
//
// Calls every operation with its sample requests (test/contract/samples), every action with its own
// body, and the requests of `more-requests.ts`, all as an administrator, so that every rule is
// checked. Fails if an operation does not check a rule that upstream names for it, or checks one
// that upstream does not name, unless `operations-intended.ts` gives a reason. `--verbose` lists
// the rules that each operation checks.
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import type { Policy } from '../../../src/kernel/oslo/policy.ts';
import { inSpan } from '../../../src/kernel/microversion.ts';
import type { ServiceDefinition, Route, Service } from '../../../src/kernel/model.ts';
import { serviceDefinitions } from '../../../src/services/index.ts';
import { actionBodies } from '../../contract/samples/actions.ts';
import { fill, sampled, type Sample, type Samples } from '../../contract/samples/index.ts';
import { ownCloud } from '../../support/cloud.ts';
import { rawClient, type Raw } from '../../support/raw.ts';
import { generalReason, intendedOperations } from './operations-intended.ts';
import { moreRequests, type Created, type MoreRequest } from './more-requests.ts';
import { packages, plainPath, rulesOf, type UpstreamRule } from './upstream.ts';

/** Rules by operation: `POST /servers/{}/action (pause)`. */
type RulesByOperation = Map<string, Set<string>>;

const add = (all: RulesByOperation, key: string, names: Iterable<string>): void => {
  all.set(key, new Set([...(all.get(key) ?? []), ...names]));
};

const keyOf = (method: string, path: string, action?: string): string =>
  `${method} ${plainPath(path)}${action === undefined ? '' : ` (${action})`}`;

/**
 * Records which rules a service checks.
 * @returns a function that returns those checked since its last call
 */
function watch(service: Service): () => Set<string> {
  let checked = new Set<string>();
  const { policy } = service;
  const watched: Pick<Policy, 'allows' | 'scopeMatches'> = {
    allows: (name, ...rest) => (checked.add(name), policy.allows(name, ...rest)),
    scopeMatches: (name, ...rest) => (checked.add(name), policy.scopeMatches(name, ...rest)),
  };
  Object.assign(service, { policy: { ...policy, ...watched } });
  return () => {
    const names = checked;
    checked = new Set();
    return names;
  };
}

/** Finds the rules that the operations of a service check. */
async function checkedRules(name: string): Promise<RulesByOperation> {
  const { config, prepare } = sampled.find(({ service }) => service === name)!;
  const opened = (await ownCloud('sqlite', config))!;
  const { cloud, server } = opened;
  if (!server.listening) await once(server, 'listening');
  const client = rawClient(server);
  const service = cloud.services.find(({ definition }) => definition.name === name)!;
  const takeChecked = watch(service);
  const all: RulesByOperation = new Map();
  const { token, samples } = await prepare(client);
  const call: CallOne = async (route, version, sample) => {
    const { params, query, ...sent } = sample;
    const path = service.definition.prefix + fill(route.path, params);
    const url = query ? `${path}?${query}` : path;
    takeChecked();
    const reply = await client.ask(name, route.method, url, { version, token, ...sent });
    const names = takeChecked();
    names.delete('context_is_admin');
    const action = route.actions ? Object.keys(sample.body as object)[0] : undefined;
    if (!names.size && reply.status === 400)
      console.log(`${name} ${route.method} ${url}: ${reply.text}`);
    add(all, keyOf(route.method, route.path, action), names);
    return reply;
  };
  for (const route of service.definition.routes) await callRoute(service, route, samples, call);
  const created = {};
  for (const more of moreRequests[name] ?? [])
    await callMore(service, more, samples, call, created);
  client.close();
  await opened.close();
  return all;
}

type CallOne = (
  route: Route,
  version: string,
  sample: Sample & { readonly token?: string },
) => Promise<Raw>;

/** Calls an operation at the first and last version of its route, and each of its actions. */
async function callRoute(
  { definition, contract }: Service,
  route: Route,
  samples: Samples,
  call: CallOne,
): Promise<void> {
  const span = definition.versions.list.filter((version) =>
    inSpan(version, route.span, definition.versions),
  );
  for (const at of new Set([span[0]!, span.at(-1)!])) {
    const { id } = contract.operation(route.method, route.path, at);
    await call(route, at.name, await samples[id]!(at.name));
    if (at !== span.at(-1) || !route.actions) continue;
    for (const action of Object.keys(route.actions)) {
      const body = actionBodies[id]?.[action];
      if (!body) throw new Error(`samples/actions.ts has no body for ${action} of ${id}`);
      const version = body.version ?? at.name;
      const { params } = await samples[body.params ?? id]!(version);
      await call(route, version, { ...(params ? { params } : {}), body: { [action]: body.body } });
    }
  }
}

/** Sends one of the further requests, and remembers the resource that it creates. */
async function callMore(
  { definition, contract }: Service,
  more: MoreRequest,
  samples: Samples,
  call: CallOne,
  created: Record<string, Created[string]>,
): Promise<void> {
  const version =
    definition.versions.list.find(({ name }) => name === more.version) ?? definition.versions.max;
  const route = definition.routes.find(
    (one) =>
      inSpan(version, one.span, definition.versions) &&
      contract.operation(one.method, one.path, version).id === more.operation,
  );
  if (!route) throw new Error(`unknown operation ${more.operation} at ${version.name}`);
  const { params, ...sample } = await samples[more.operation]!(version.name);
  const resolve = <T>(value: T | ((created: Created) => T)): T =>
    typeof value === 'function' ? (value as (created: Created) => T)(created) : value;
  const [[noun, fields] = ['', {}], ...rest] = Object.entries((sample.body ?? {}) as object) as [
    string,
    object,
  ][];
  const over = resolve(more.over);
  const body = over
    ? { [noun]: { ...fields, ...over }, ...Object.fromEntries(rest) }
    : (resolve(more.body) ?? sample.body);
  const on = Object.entries(more.on ?? {}).map(
    ([name, resource]) => [name, created[resource]!['id']!] as const,
  );
  const of = more.of === undefined ? params : (await samples[more.of]!(version.name)).params;
  const reply = await call(route, version.name, {
    ...sample,
    params: { ...of, ...Object.fromEntries(on) },
    ...(body === undefined ? {} : { body }),
    ...(more.query === undefined ? {} : { query: more.query }),
    ...(more.token === undefined ? {} : { token: more.token }),
    ...(more.headers === undefined ? {} : { headers: more.headers }),
  });
  if (more.as === undefined) return;
  if (reply.status >= 300) throw new Error(`${more.operation}: ${reply.status} ${reply.text}`);
  created[more.as] = Object.values(reply.body as object)[0] as Created[string];
}

/** The rules that upstream's documentation names, by operation. */
function documentedRulesOf(upstream: readonly UpstreamRule[]): RulesByOperation {
  const all: RulesByOperation = new Map();
  for (const { name, operations } of upstream)
    for (const { path, method } of operations)
      for (const one of [method].flat())
        add(all, keyOf(one.toUpperCase(), path, /\(([\w-]+)/.exec(path)?.[1]), [name]);
  return all;
}

/** @returns the number of unintended differences */
function compare(
  definition: ServiceDefinition,
  checked: RulesByOperation,
  documentedRules: RulesByOperation,
  verbose: boolean,
): number {
  let unintended = 0;
  const reportDifference = (key: string, rule: string, what: 'checks' | 'does not check'): void => {
    const reason =
      intendedOperations[definition.name]?.[`${key}: ${rule}`] ??
      generalReason(definition.name, rule, what === 'checks');
    if (reason === undefined) unintended++;
    if (reason === undefined || verbose)
      console.log(
        `${definition.name} ${key}: ${what} ${rule}` +
          (reason === undefined ? '' : ` (intended: ${reason})`),
      );
  };
  for (const [key, names] of checked) {
    // The documentation rarely mentions HEAD, so that of GET applies.
    const documented =
      documentedRules.get(key) ??
      documentedRules.get(key.replace(/^HEAD/, 'GET')) ??
      new Set<string>();
    if (verbose) console.log(`${definition.name} ${key}: ${[...names].join(', ')}`);
    for (const rule of names) if (!documented.has(rule)) reportDifference(key, rule, 'checks');
    for (const rule of documented)
      if (!names.has(rule)) reportDifference(key, rule, 'does not check');
  }
  return unintended;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { verbose: { type: 'boolean', default: false } },
});
let unintended = 0;
for (const argument of positionals) {
  const [name = '', checkouts = ''] = argument.split('=');
  const definition = serviceDefinitions.find((one) => one.name === name);
  if (!definition || !packages[name])
    throw new Error(`Unknown SERVICE ${name}: use one of ${Object.keys(packages).join(', ')}.`);
  const checked = await checkedRules(name);
  unintended += compare(
    definition,
    checked,
    documentedRulesOf(rulesOf(name, checkouts.split(','))),
    values.verbose,
  );
  console.log(`${name}: ${checked.size} operations and actions`);
}
if (unintended) {
  console.log(`${unintended} unintended differences`);
  process.exitCode = 1;
}
