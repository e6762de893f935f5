// The limits of a project, which Keystone keeps: unified limits. Upstream: glance/quota/keystone.py
// and oslo_limit.
import { tryAcquireLock } from '../../../kernel/db/transaction.ts';
import { conflict, tooLarge } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { registeredLimitsOf } from '../clients/identity.ts';
import { imagesOwnedBy, type OwnedImage } from '../store/owned-images.ts';
import { importingStores } from './imports/progress.ts';
import { loadSettings } from './settings.ts';

/** The bytes of the unit of limits on sizes. */
const unit = 1024 ** 2;

const sum = (images: readonly OwnedImage[], sizeOf: (image: OwnedImage) => number): number =>
  images.reduce((total, image) => total + sizeOf(image), 0);

const isUploading = ({ status }: OwnedImage): boolean =>
  status === 'saving' || status === 'uploading' || status === 'importing';

/** Whether an image is staged, or copied to other stores. */
const isStaged = (image: OwnedImage): boolean =>
  isUploading(image) || importingStores(image).length > 0;

/** How the usage of each limit is counted. Sizes are in MiB. */
const usages = {
  image_size_total: (images: readonly OwnedImage[]): number =>
    Math.floor(sum(images, ({ size, locations }) => (size ?? 0) * locations.length) / unit),
  image_stage_total: (images: readonly OwnedImage[]): number =>
    Math.floor(sum(images.filter(isStaged), ({ size }) => size ?? 0) / unit),
  image_count_total: (images: readonly OwnedImage[]): number => images.length,
  image_count_uploading: (images: readonly OwnedImage[]): number => images.filter(isStaged).length,
} as const;

export type LimitName = keyof typeof usages;

export const limitNames = Object.keys(usages) as readonly LimitName[];

/** What a project uses, and may use at most. */
export type Usage = Readonly<Record<string, { readonly usage: number; readonly limit: number }>>;

/** The usage of the actor's project; empty if limits are not enforced. */
export async function usageOf(context: Context): Promise<Usage> {
  if (!(await loadSettings(context)).useKeystoneLimits) return {};
  const projectId = context.actor.projectId ?? '';
  const images = await imagesOwnedBy(context.db, projectId);
  const limits = await registeredLimitsOf(context, projectId);
  return Object.fromEntries(
    limitNames.map((name) => [name, { usage: usages[name](images), limit: limits.get(name) ?? 0 }]),
  );
}

/**
 * Checks that the actor's project stays within a limit. A limit that is not registered is 0.
 * @param delta what is to be added: MiB, or a number of images
 * @throws 413
 */
export async function enforceLimit(
  context: Context,
  name: LimitName,
  delta: number,
): Promise<void> {
  const message = await overLimit(context, name, delta);
  if (message !== undefined) throw tooLarge(message);
}

/** The message for a limit that the actor's project would be over. */
export async function overLimit(
  context: Context,
  name: LimitName,
  delta: number,
): Promise<string | undefined> {
  if (!(await loadSettings(context)).useKeystoneLimits) return undefined;
  await tryAcquireLock(context.db, 'image.limits', () =>
    conflict('The limit is being used by others at the same time. Please try again.'),
  );
  const { usage, limit } = (await usageOf(context))[name]!;
  if (usage + delta <= limit) return undefined;
  return (
    'The request returned a 413 Request Entity Too Large. This generally means that rate ' +
    'limiting or a quota threshold was breached.\n\nThe response body:\nProject ' +
    `${context.actor.projectId ?? 'None'} is over a limit for [Resource ${name} is over limit ` +
    `of ${limit} due to current usage ${usage} and delta ${delta}]`
  );
}

/** A size as limits count it: whole MiB. */
export const mebibytes = (bytes: number | null): number => Math.floor((bytes ?? 0) / unit);
