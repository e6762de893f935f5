// The commands `cumulet jobs list, retry, drop`.
import type { Command } from 'commander';
import {
  addressed,
  callEmulator,
  print,
  printJson,
  queryOf,
  withAddress,
  withJson,
  type AddressOptions,
  type EmulatorAddress,
  type JsonOption,
} from '../client.ts';

/** Which jobs `cumulet jobs list` prints. */
interface ListOptions {
  readonly region?: string;
  readonly service?: string;
  readonly kind?: string;
  readonly state?: string;
}

/** Adds `cumulet jobs`. */
export function addJobsCommands(program: Command): void {
  const jobs = program
    .command('jobs')
    .description('list the scheduled jobs of a running emulator, and repair those set aside');
  withAddress(
    withJson(jobs.command('list'))
      .description('list the jobs in the order in which they run')
      .option('--region <region>', "jobs of this region; 'central' for those of shared services")
      .option('--service <service>', 'jobs of this service')
      .option('--kind <kind>', 'jobs of this kind, such as reservation.end_lease')
      .option('--state <state>', 'jobs in this state: pending, running or set_aside'),
  ).action((options: ListOptions & JsonOption & AddressOptions) => listJobs(addressed(options)));
  withAddress(
    jobs
      .command('retry')
      .description('let a job that was set aside run again')
      .argument('<id>', 'id of the job'),
  ).action((id: string, options: AddressOptions) => retryJob(id, addressed(options)));
  withAddress(
    jobs.command('drop').description('delete a job').argument('<id>', 'id of the job'),
  ).action((id: string, options: AddressOptions) => dropJob(id, addressed(options)));
}

/** Prints jobs, one on each line, with the reason of those set aside. @throws as `callEmulator` */
export async function listJobs({
  region,
  service,
  kind,
  state,
  json = false,
  ...address
}: EmulatorAddress & ListOptions & JsonOption): Promise<void> {
  const query = queryOf({ region, service, kind, state });
  const { jobs } = (await callEmulator(address, 'GET', `/jobs${query}`)) as {
    jobs: {
      id: string;
      due_at: string;
      state: string;
      kind: string;
      subject: string;
      error: string | null;
    }[];
  };
  if (json) return printJson(jobs);
  for (const { id, due_at: dueAt, state: current, kind: name, subject, error } of jobs)
    print([id, dueAt, current, name, subject, error].filter(Boolean).join('  '));
}

/** Lets a job that was set aside run again. @throws Error as `callEmulator` */
export async function retryJob(id: string, address: EmulatorAddress): Promise<void> {
  await callEmulator(address, 'POST', `/jobs/${encodeURIComponent(id)}/retry`);
}

/** Deletes a job of a running emulator. @throws Error as `callEmulator` */
export async function dropJob(id: string, address: EmulatorAddress): Promise<void> {
  await callEmulator(address, 'DELETE', `/jobs/${encodeURIComponent(id)}`);
}
