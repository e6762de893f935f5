// Handlers of /_emulator/clouds.yaml and /_emulator/openrc.
import { ok } from '../../kernel/http/reply.ts';
import { clientEnvironment, cloudsYaml as yamlFor, type ClientConfig } from './configuration.ts';
import { regionNames } from '../../kernel/regions.ts';
import type { Call, Reply } from '../../kernel/model.ts';

const configFor = (call: Call): ClientConfig => ({
  origin: call.origin,
  regions: regionNames(call.cloud),
  password: call.cloud.config.adminPassword,
});

/** GET /_emulator/clouds.yaml */
export const cloudsYaml = (call: Call): Reply =>
  ok(yamlFor(configFor(call)), { 'content-type': 'application/yaml' });

/** GET /_emulator/openrc: shell commands that set the OS_* variables. */
export function openrc(call: Call): Reply {
  const lines = Object.entries(clientEnvironment(configFor(call))).map(
    ([name, value]) => `export ${name}='${value.replaceAll("'", `'\\''`)}'\n`,
  );
  return ok(lines.join(''), { 'content-type': 'text/plain; charset=utf-8' });
}
