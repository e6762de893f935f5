// Captures the volume types of a cloud, with their QoS specs and encryption.
import { entriesOf, textOrNull, textsOf } from '../../../../emulator/capture/fields.ts';
import type { CaptureSource, Json } from '../../../../emulator/capture/model.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { QosSpecs, VolumeType } from '../../model.ts';
import { insertEncryption } from '../../store/encryptions.ts';
import { insertQosSpecs } from '../../store/qos-specs.ts';
import { deleteType, insertType, listTypes } from '../../store/types.ts';

/** A volume type, with what no list shows of it. */
interface Details {
  readonly encryption: Json;
  /** The projects that may use it, if it is private. */
  readonly projects: readonly string[];
}

const isPublic = (one: Json): boolean => one['os-volume-type-access:is_public'] !== false;

/** Replaces the types of the new cloud, unless the source shows none. @returns those it now has */
export async function captureTypes(
  context: Context,
  source: CaptureSource,
): Promise<readonly VolumeType[]> {
  const { db, now } = context;
  const seeded = await listTypes(db);
  const listed = await source.list('volume', '/types?is_public=None', 'volume_types');
  if (!listed.length) return seeded;
  for (const { id } of seeded) await deleteType(db, id);
  const qosSpecs = await captureQosSpecs(context, source);
  const details = await source.each('volume types', listed, (one) => detailsOf(source, one));
  const types = listed.map((one, at): VolumeType => {
    const qosSpecsId = textOrNull(one['qos_specs_id']);
    return {
      id: String(one['id']),
      name: String(one['name']),
      description: textOrNull(one['description']),
      isPublic: isPublic(one),
      createdAt: now,
      updatedAt: null,
      extraSpecs: textsOf(one['extra_specs']),
      qosSpecsId: qosSpecsId !== null && qosSpecs.has(qosSpecsId) ? qosSpecsId : null,
      projects: details[at]!.projects,
    };
  });
  // The list has the newest type first.
  for (const [age, type] of types.toReversed().entries())
    await insertType(db, { ...type, createdAt: now + age });
  for (const { encryption: one } of details)
    if (typeof one['encryption_id'] === 'string')
      await insertEncryption(db, {
        id: one['encryption_id'],
        typeId: String(one['volume_type_id']),
        provider: String(one['provider']),
        controlLocation: String(one['control_location']),
        cipher: textOrNull(one['cipher']),
        keySize: typeof one['key_size'] === 'number' ? one['key_size'] : null,
        createdAt: now,
        updatedAt: null,
      });
  return types;
}

async function detailsOf(source: CaptureSource, one: Json): Promise<Details> {
  const path = `/types/${String(one['id'])}`;
  const encryption = await source.get('volume', `${path}/encryption`);
  if (isPublic(one)) return { encryption, projects: [] };
  const access = await source.get('volume', `${path}/os-volume-type-access`);
  return {
    encryption,
    projects: entriesOf(access, 'volume_type_access').map((entry) => String(entry['project_id'])),
  };
}

/** @returns the ids of the QoS specs */
async function captureQosSpecs(
  { db, now }: Context,
  source: CaptureSource,
): Promise<ReadonlySet<string>> {
  const listed = await source.list('volume', '/qos-specs', 'qos_specs');
  // The list has the newest specs first.
  for (const [age, one] of listed.toReversed().entries())
    await insertQosSpecs(db, {
      id: String(one['id']),
      name: String(one['name']),
      consumer: String(one['consumer']),
      specs: (one['specs'] ?? {}) as QosSpecs['specs'],
      createdAt: now + age,
      updatedAt: null,
    });
  return new Set(listed.map(({ id }) => String(id)));
}
