// The errors of the domain, with the messages of Cinder. Upstream: cinder/exception.py.
import { badRequest, notFound, tooLarge, type ApiError } from '../../../kernel/errors.ts';

export const invalidVolume = (reason: string): ApiError => badRequest(`Invalid volume: ${reason}`);
export const invalidSnapshot = (reason: string): ApiError =>
  badRequest(`Invalid snapshot: ${reason}`);
export const invalidInput = (reason: string): ApiError =>
  badRequest(`Invalid input received: ${reason}`);

export const noVolume = (id: string): ApiError => notFound(`Volume ${id} could not be found.`);
export const noSnapshot = (id: string): ApiError => notFound(`Snapshot ${id} could not be found.`);
export const noType = (id: string): ApiError => notFound(`Volume type ${id} could not be found.`);
export const noTypeNamed = (name: string): ApiError =>
  notFound(`Volume type with name ${name} could not be found.`);
export const noAttachment = (id: string): ApiError =>
  notFound(`Volume attachment could not be found with filter: attachment_id = ${id}.`);

export const invalidBackup = (reason: string): ApiError => badRequest(`Invalid backup: ${reason}`);
export const noBackup = (id: string): ApiError => notFound(`Backup ${id} could not be found.`);
export const invalidGroup = (reason: string): ApiError => badRequest(`Invalid Group: ${reason}`);
export const noGroup = (id: string): ApiError => notFound(`Group ${id} could not be found.`);
export const noGroupSnapshot = (id: string): ApiError =>
  notFound(`GroupSnapshot ${id} could not be found.`);
export const noGroupType = (id: string): ApiError =>
  notFound(`Group type ${id} could not be found.`);

/** The error 413 for a request that would exceed a quota. */
export const overQuota = (message: string): ApiError =>
  tooLarge(message, { headers: { 'retry-after': '0' } });
