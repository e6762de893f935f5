// Compares the rules that each operation asks with those that upstream's documentation names for
// it.
//
// usage: node --import tsx test/conformance/policy/asked.ts SERVICE=CHECKOUT[,CHECKOUT] ...
// [--verbose]
//
// Every operation is called with its sample requests (test/contract/samples), every action with a
// body of its own, and the requests of `more.ts`, as an administrator, who is asked every rule. It
// fails where an operation does not ask a rule that upstream names for it, or asks one that
// upstream does not; but for those that `meant-asked.ts` has a reason for. `--verbose` lists what
// each operation asks.
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
import { asideOf, meantAsked } from './meant-asked.ts';
import { moreRequests, type Made, type MoreRequest } from './more.ts';
import { packages, plainPath, rulesOf, type UpstreamRule } from './upstream.ts';

/** Rules by operation: `POST /servers/{}/action (pause)`. */
type Asked = Map<string, Set<string>>;

const add = (all: Asked, key: string, names: Iterable<string>): void => {
  all.set(key, new Set([...(all.get(key) ?? []), ...names]));
};

const keyOf = (method: string, path: string, action?: string): string =>
  `${method} ${plainPath(path)}${action === undefined ? '' : ` (${action})`}`;

/** Takes down which rules a service asks. @returns what it has asked since the last look */
function watch(service: Service): () => Set<string> {
  let asked = new Set<string>();
  const { policy } = service;
  const watched: Pick<Policy, 'allows' | 'scopeMatches'> = {
    allows: (name, ...rest) => (asked.add(name), policy.allows(name, ...rest)),
    scopeMatches: (name, ...rest) => (asked.add(name), policy.scopeMatches(name, ...rest)),
  };
  Object.assign(service, { policy: { ...policy, ...watched } });
  return () => {
    const names = asked;
    asked = new Set();
    return names;
  };
}

/** What the operations of a service ask. */
async function askedOf(name: string): Promise<Asked> {
  const { config, prepare } = sampled.find(({ service }) => service === name)!;
  const opened = (await ownCloud('sqlite', config))!;
  const { cloud, server } = opened;
  if (!server.listening) await once(server, 'listening');
  const client = rawClient(server);
  const service = cloud.services.find(({ definition }) => definition.name === name)!;
  const look = watch(service);
  const all: Asked = new Map();
  const { token, samples } = await prepare(client);
  const call: CallOne = async (route, version, sample) => {
    const { params, query, ...sent } = sample;
    const url = `${service.definition.prefix}${fill(route.path, params)}${query ? `?${query}` : ''}`;
    look();
    const reply = await client.ask(name, route.method, url, { version, token, ...sent });
    const names = look();
    names.delete('context_is_admin');
    const action = route.actions ? Object.keys(sample.body as object)[0] : undefined;
    if (!names.size && reply.status === 400)
      console.log(`${name} ${route.method} ${url}: ${reply.text}`);
    add(all, keyOf(route.method, route.path, action), names);
    return reply;
  };
  for (const route of service.definition.routes) await callRoute(service, route, samples, call);
  const made = {};
  for (const more of moreRequests[name] ?? []) await callMore(service, more, samples, call, made);
  client.close();
  await opened.close();
  return all;
}

type CallOne = (
  route: Route,
  version: string,
  sample: Sample & { readonly token?: string },
) => Promise<Raw>;

/** Calls an operation at the first and the last version of its line, and each of its actions. */
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

/** Sends one of the further requests, and keeps what it makes. */
async function callMore(
  { definition, contract }: Service,
  more: MoreRequest,
  samples: Samples,
  call: CallOne,
  made: Record<string, Made[string]>,
): Promise<void> {
  const version =
    definition.versions.list.find(({ name }) => name === more.version) ?? definition.versions.max;
  const route = definition.routes.find(
    (one) =>
      inSpan(version, one.span, definition.versions) &&
      contract.operation(one.method, one.path, version).id === more.operation,
  );
  if (!route) throw new Error(`there is no ${more.operation} at ${version.name}`);
  const { params, ...sample } = await samples[more.operation]!(version.name);
  const given = <T>(value: T | ((made: Made) => T)): T =>
    typeof value === 'function' ? (value as (made: Made) => T)(made) : value;
  const [[noun, fields] = ['', {}], ...rest] = Object.entries((sample.body ?? {}) as object) as [
    string,
    object,
  ][];
  const over = given(more.over);
  const body = over
    ? { [noun]: { ...fields, ...over }, ...Object.fromEntries(rest) }
    : (given(more.body) ?? sample.body);
  const on = Object.entries(more.on ?? {}).map(
    ([name, thing]) => [name, made[thing]!['id']!] as const,
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
  made[more.as] = Object.values(reply.body as object)[0] as Made[string];
}

/** The rules that upstream names, by operation. */
function namedBy(upstream: readonly UpstreamRule[]): Asked {
  const all: Asked = new Map();
  for (const { name, operations } of upstream)
    for (const { path, method } of operations)
      for (const one of [method].flat())
        add(all, keyOf(one.toUpperCase(), path, /\(([\w-]+)/.exec(path)?.[1]), [name]);
  return all;
}

/** @returns how many differences are not meant */
function compare(
  definition: ServiceDefinition,
  asked: Asked,
  named: Asked,
  verbose: boolean,
): number {
  let faults = 0;
  const tell = (key: string, rule: string, what: 'asks' | 'does not ask'): void => {
    const reason =
      meantAsked[definition.name]?.[`${key}: ${rule}`] ??
      asideOf(definition.name, rule, what === 'asks');
    if (reason === undefined) faults++;
    if (reason === undefined || verbose)
      console.log(
        `${definition.name} ${key}: ${what} ` +
          `${rule}${reason === undefined ? '' : ` (meant: ${reason})`}`,
      );
  };
  for (const [key, names] of asked) {
    // What is documented for GET holds for HEAD, of which mostly nothing is said.
    const theirs = named.get(key) ?? named.get(key.replace(/^HEAD/, 'GET')) ?? new Set<string>();
    if (verbose) console.log(`${definition.name} ${key}: ${[...names].join(', ')}`);
    for (const rule of names) if (!theirs.has(rule)) tell(key, rule, 'asks');
    for (const rule of theirs) if (!names.has(rule)) tell(key, rule, 'does not ask');
  }
  return faults;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { verbose: { type: 'boolean', default: false } },
});
let faults = 0;
for (const argument of positionals) {
  const [name = '', checkouts = ''] = argument.split('=');
  const definition = serviceDefinitions.find((one) => one.name === name);
  if (!definition || !packages[name])
    throw new Error(`SERVICE is one of ${Object.keys(packages).join(', ')}, and not ${name}.`);
  const asked = await askedOf(name);
  faults += compare(
    definition,
    asked,
    namedBy(rulesOf(name, checkouts.split(','))),
    values.verbose,
  );
  console.log(`${name}: ${asked.size} operations and actions`);
}
if (faults) {
  console.log(`${faults} differences that are not meant`);
  process.exitCode = 1;
}
