// The commands `cumulet project create, list, delete`.
import type { Command } from 'commander';
import {
  addressed,
  callEmulator,
  print,
  printJson,
  withAddress,
  withJson,
  type AddressOptions,
  type EmulatorAddress,
  type JsonOption,
} from '../client.ts';

/** What `cumulet project create` asks for, and in which form it prints the credentials. */
interface CreateOptions extends JsonOption {
  readonly name?: string;
  readonly role?: readonly string[];
  readonly network: boolean;
  readonly format: 'env' | 'clouds.yaml' | 'json';
}

/** Adds `cumulet project`. */
export function addProjectCommands(program: Command): void {
  const project = program
    .command('project')
    .description('create, list and delete the throw-away projects of a running emulator');
  const create = project
    .command('create')
    .description('create a project with a user and a network, and print the credentials')
    .option('--name <name>', 'name of the project, its domain and its user')
    .option('--role <role...>', 'roles of the user (default: member and reader)')
    .option('--no-network', 'create no network');
  create.addOption(
    create
      .createOption('--format <format>', 'what to print')
      .choices(['env', 'clouds.yaml', 'json'])
      .default('env'),
  );
  create.addOption(create.createOption('--json', 'the same as --format json').conflicts('format'));
  withAddress(create).action((options: CreateOptions & AddressOptions) =>
    createProject(addressed(options)),
  );
  const list = project.command('list').description('list the projects, the oldest first');
  withAddress(withJson(list)).action((options: JsonOption & AddressOptions) =>
    listProjects(addressed(options)),
  );
  withAddress(
    withJson(project.command('delete'))
      .description('delete a project and everything that belongs to it')
      .argument('<id>', 'id of the project'),
  ).action((id: string, options: JsonOption & AddressOptions) =>
    deleteProject(id, addressed(options)),
  );
}

/** Creates a project, and prints the credentials of its user. @throws Error as `callEmulator` */
export async function createProject({
  name,
  role: roles,
  network,
  format,
  json = false,
  ...address
}: EmulatorAddress & CreateOptions): Promise<void> {
  const body = { name, roles, network };
  const { project } = (await callEmulator(address, 'POST', '/projects', body)) as {
    project: { id: string; env: Record<string, string>; clouds_yaml: string };
  };
  if (json || format === 'json') return printJson(project);
  if (format === 'clouds.yaml') return print(project.clouds_yaml.trimEnd());
  print(`# project ${project.id}`);
  for (const [variable, value] of Object.entries(project.env))
    print(`export ${variable}='${value.replaceAll("'", `'\\''`)}'`);
}

/** Prints the projects, one on each line. @throws Error as `callEmulator` */
export async function listProjects({
  json = false,
  ...address
}: EmulatorAddress & JsonOption): Promise<void> {
  const { projects } = (await callEmulator(address, 'GET', '/projects')) as {
    projects: { id: string; name: string; created_at: string }[];
  };
  if (json) return printJson(projects);
  for (const { id, name, created_at: createdAt } of projects) print(`${id}  ${name}  ${createdAt}`);
}

/** Deletes a project, and prints how many resources it had. @throws Error as `callEmulator` */
export async function deleteProject(
  id: string,
  { json = false, ...address }: EmulatorAddress & JsonOption,
): Promise<void> {
  const path = `/projects/${encodeURIComponent(id)}`;
  const { removed } = (await callEmulator(address, 'DELETE', path)) as {
    removed: Record<string, number>;
  };
  if (json) return printJson(removed);
  for (const [kind, count] of Object.entries(removed))
    print(`${kind.replaceAll('_', ' ')}: ${count}`);
}
