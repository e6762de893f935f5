// The servers that ran in a period, deleted ones too.
import type { Micros } from '../../../kernel/clock.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Run } from '../model.ts';

interface Row {
  uuid: string;
  name: string;
  project_id: string;
  vm_state: string;
  flavor: string;
  vcpus: number;
  ram: number;
  launched_at: number;
  terminated_at: number | null;
}

/** The servers that ran in the period, by project and UUID. */
export async function listRuns(
  db: Db,
  from: Micros,
  to: Micros,
  projectId?: string,
): Promise<Run[]> {
  const query = db('compute_servers')
    .where('launched_at', '<', to)
    .where((either) => void either.whereNull('terminated_at').orWhere('terminated_at', '>', from))
    .orderBy(['project_id', 'uuid'])
    .select(
      'uuid',
      'name',
      'project_id',
      'vm_state',
      'flavor',
      'vcpus',
      'ram',
      'launched_at',
      'terminated_at',
    );
  if (projectId !== undefined) query.where({ project_id: projectId });
  return ((await query) as Row[]).map(record);
}

function record(row: Row): Run {
  const { name, disk, ephemeral } = JSON.parse(row.flavor) as {
    name: string;
    disk: number;
    ephemeral: number;
  };
  return {
    uuid: row.uuid,
    name: row.name,
    projectId: row.project_id,
    vmState: row.vm_state,
    flavor: name,
    vcpus: row.vcpus,
    memoryMb: row.ram,
    localGb: disk + ephemeral,
    launchedAt: Number(row.launched_at),
    terminatedAt: row.terminated_at === null ? null : Number(row.terminated_at),
  };
}
