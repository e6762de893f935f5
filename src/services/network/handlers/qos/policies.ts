// QoS policies. A project sees its own and those that others share with it.
import { qosPolicyAttributes } from '../../domain/qos/attributes.ts';
import { createQosPolicy, deleteQosPolicy, updateQosPolicy } from '../../domain/qos/policies.ts';
import { getQosPolicy, visibility } from '../../domain/visibility.ts';
import type { QosPolicy } from '../../model.ts';
import { loadQosPolicyDetails } from '../../store/details.ts';
import { qosPolicyTable } from '../../store/tables.ts';
import { qosPolicyView } from '../../views/qos.ts';
import { sequentially, resourceHandlers, viewsWith, type UpdatableResource } from '../resources.ts';
import { tagHandlers } from '../tags.ts';

export const qosPolicyResource: UpdatableResource<QosPolicy> = {
  map: qosPolicyAttributes,
  table: qosPolicyTable,
  visibility: visibility.qosPolicy,
  unknownMarkers: 'ignored',
  sharing: true,
  get: getQosPolicy,
  create: sequentially(createQosPolicy),
  update: updateQosPolicy,
  delete: deleteQosPolicy,
  views: viewsWith(loadQosPolicyDetails, qosPolicyView),
};

export const { list, show, create, update, remove } = resourceHandlers(qosPolicyResource);
export const tags = tagHandlers(qosPolicyResource);
