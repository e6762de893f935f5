// The faults of the domain, in Cinder's words. Upstream: cinder/exception.py.
import { badRequest, notFound, tooLarge, type Fault } from '../../../kernel/fault.ts';

export const invalidVolume = (reason: string): Fault => badRequest(`Invalid volume: ${reason}`);
export const invalidSnapshot = (reason: string): Fault => badRequest(`Invalid snapshot: ${reason}`);
export const invalidInput = (reason: string): Fault => badRequest(`Invalid input received: ${reason}`);

export const noVolume = (id: string): Fault => notFound(`Volume ${id} could not be found.`);
export const noSnapshot = (id: string): Fault => notFound(`Snapshot ${id} could not be found.`);
export const noType = (id: string): Fault => notFound(`Volume type ${id} could not be found.`);
export const noTypeNamed = (name: string): Fault => notFound(`Volume type with name ${name} could not be found.`);
export const noAttachment = (id: string): Fault =>
  notFound(`Volume attachment could not be found with filter: attachment_id = ${id}.`);

/** 413, for a quota that would be exceeded. */
export const overQuota = (message: string): Fault => tooLarge(message, { headers: { 'retry-after': '0' } });
