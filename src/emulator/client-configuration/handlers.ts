// Configuration that clients can use as it is.
import { ok } from '../../kernel/http/reply.ts';
import { clientEnvironment, cloudsYaml as yamlFor, type ClientConfig } from './clients.ts';
import { regionNames } from '../../kernel/regions.ts';
import type { Call, Reply } from '../../kernel/model.ts';

const configFor = (call: Call): ClientConfig => ({
  origin: call.origin,
  regions: regionNames(call.cloud),
  password: call.cloud.config.adminPassword,
});

export const cloudsYaml = (call: Call): Reply =>
  ok(yamlFor(configFor(call)), { 'content-type': 'application/yaml' });

export function openrc(call: Call): Reply {
  const lines = Object.entries(clientEnvironment(configFor(call))).map(
    ([name, value]) => `export ${name}='${value.replaceAll("'", `'\\''`)}'\n`,
  );
  return ok(lines.join(''), { 'content-type': 'text/plain; charset=utf-8' });
}
