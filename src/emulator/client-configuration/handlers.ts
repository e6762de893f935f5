// Handlers of /_emulator/clouds.yaml, /_emulator/openrc and /_emulator/environment.
import { ok } from '../../kernel/http/reply.ts';
import type { Call, Reply } from '../../kernel/model.ts';
import { clientEnvironment, cloudsYaml as yamlFor } from './configuration.ts';
import { shellCommands, type Shell } from './shells.ts';
import { clientConfigOf } from './sign-in.ts';

/** GET /_emulator/clouds.yaml */
export async function cloudsYaml({ cloud, origin }: Call): Promise<Reply> {
  const yaml = yamlFor(await clientConfigOf(cloud, origin));
  return ok(yaml, { 'content-type': 'application/yaml' });
}

/** GET /_emulator/openrc: commands of a shell that set the OS_* variables. */
export async function openrc({ cloud, origin, query }: Call): Promise<Reply> {
  const shell = (query.last('shell') ?? 'sh') as Shell;
  const environment = clientEnvironment(await clientConfigOf(cloud, origin));
  return ok(shellCommands(shell, origin, environment), {
    'content-type': 'text/plain; charset=utf-8',
  });
}

/** GET /_emulator/environment: the OS_* variables as JSON. */
export async function environment({ cloud, origin }: Call): Promise<Reply> {
  const { variables, missing = null } = clientEnvironment(await clientConfigOf(cloud, origin));
  return ok({ environment: variables, missing });
}
