// QoS specs in replies.
import type { VolumeCall } from '../call.ts';
import type { QosSpecs, VolumeType } from '../model.ts';
import { linksOf } from './links.ts';

export const qosSummary = ({ id, name, consumer, specs }: QosSpecs): object => ({
  id,
  name,
  consumer,
  specs,
});

export const qosDetail = (call: VolumeCall, qos: QosSpecs): object => ({
  qos_specs: qosSummary(qos),
  links: linksOf(call, 'qos-specs', qos.id),
});

export const associationView = ({ id, name }: VolumeType): object => ({
  association_type: 'volume_type',
  name,
  id,
});
