// What is inconsistent in Volume: volumes, their attachments, and quotas.
import type { Audited, Inconsistency } from '../../../emulator/audit/model.ts';
import { exceededQuotas } from '../../../emulator/audit/quotas.ts';
import { describeConsumers } from '../../../emulator/explain/consumers.ts';
import { groupedValues } from '../../../kernel/db/grouping.ts';
import type { Context } from '../../../kernel/model.ts';
import {
  auditedAttachments,
  auditedVolumes,
  type AuditedAttachment,
  type AuditedVolume,
} from '../store/audit.ts';
import { limitsOf, usageOf } from './quotas.ts';

/** The options of `openstack quota set`, by resource. */
const quotaOptions = { volumes: '--volumes', snapshots: '--snapshots', gigabytes: '--gigabytes' };

/** Audits the volumes, the attachments and the quotas of a region. */
export async function auditVolume(context: Context): Promise<Audited> {
  const { db } = context;
  const volumes = await auditedVolumes(db);
  const attachments = await auditedAttachments(db);
  const quotas = [];
  for (const project of new Set(volumes.map(({ projectId }) => projectId))) {
    const limits = Object.fromEntries(await limitsOf(context, project));
    const used = Object.fromEntries(await usageOf(context, project));
    quotas.push(...exceededQuotas({ project, limits, used, options: quotaOptions }));
  }
  return {
    examined: { volumes: volumes.length, attachments: attachments.length },
    inconsistencies: [
      ...(await attachmentsWithoutServer(context, volumes, attachments)),
      ...volumesInWrongState(volumes, attachments),
      ...quotas,
    ],
  };
}

const nameOf = ({ name, id }: AuditedVolume): string => name || id;

const resourceOf = ({ id, name }: AuditedVolume): Inconsistency['resource'] => ({
  type: 'volume',
  id,
  name: name || null,
});

/** Reports attachments to servers that do not exist. */
async function attachmentsWithoutServer(
  context: Context,
  volumes: readonly AuditedVolume[],
  attachments: readonly AuditedAttachment[],
): Promise<Inconsistency[]> {
  const byId = new Map(volumes.map((volume) => [volume.id, volume]));
  const toServers = attachments.filter(({ instanceUuid }) => instanceUuid !== null);
  const known = await describeConsumers(context, [
    ...new Set(toServers.map(({ instanceUuid }) => instanceUuid!)),
  ]);
  return toServers
    .filter(({ instanceUuid }) => !known.has(instanceUuid!))
    .map(({ id, volumeId, instanceUuid }) => ({
      check: 'attachment_without_server',
      resource: resourceOf(byId.get(volumeId)!),
      text:
        `Volume ${nameOf(byId.get(volumeId)!)} is attached to server ${instanceUuid}, which does ` +
        'not exist.',
      repair: [`openstack --os-volume-api-version 3.27 volume attachment delete ${id}`],
    }));
}

/** Reports volumes whose status contradicts their attachments. */
function volumesInWrongState(
  volumes: readonly AuditedVolume[],
  attachments: readonly AuditedAttachment[],
): Inconsistency[] {
  const attached = groupedValues(
    attachments.filter(({ status }) => status === 'attached'),
    ({ volumeId }) => volumeId,
    ({ id }) => id,
  );
  const found: Inconsistency[] = [];
  for (const volume of volumes) {
    const count = attached.get(volume.id)?.length ?? 0;
    if (volume.status === 'in-use' && count === 0)
      found.push({
        check: 'volume_without_attachment',
        resource: resourceOf(volume),
        text: `Volume ${nameOf(volume)} is in use, but has no attachment.`,
        repair: [`openstack volume set --state available --detached ${volume.id}`],
      });
    if (volume.status === 'available' && count > 0)
      found.push({
        check: 'attached_volume_available',
        resource: resourceOf(volume),
        text: `Volume ${nameOf(volume)} is available, but is attached.`,
        repair: [`openstack volume set --state in-use --attached ${volume.id}`],
      });
  }
  return found;
}
