// The jobs of Image: tasks, and the queue of the image cache.
import { inRegionTransaction } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Context, Delivery, Jobs } from '../../kernel/model.ts';
import { cacheKind, cacheQueued } from './domain/cache.ts';
import { download, downloadKind, type Download } from './domain/imports/download.ts';
import { endDownload, endImport, endKind, startTask } from './domain/imports/work.ts';
import { loadSettings } from './domain/settings.ts';
import { startKind } from './domain/tasks.ts';

/** The largest image that can be uploaded or downloaded: data is kept in the database. */
export const maxDataSize = 64 * 1024 * 1024;

export const imageJobs: Jobs = {
  [startKind]: (context, { subject, payload }) =>
    startTask(context, subject, (payload as { isValid: boolean }).isValid),
  [endKind]: (context, { subject }) => endImport(context, subject),
  [cacheKind]: (context, { subject }) => cacheQueued(context, subject),
};

/** Ends the task of a download. It fails if the image cannot have the data. */
async function endTaskOf(
  context: Context,
  { taskId }: Download,
  data: Buffer | undefined,
): Promise<void> {
  const end = (received: Buffer | undefined): Promise<void> =>
    inRegionTransaction(context, context.region, (inner) => endDownload(inner, taskId, received));
  await end(data).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    return end(undefined);
  });
}

export const imageDeliveries: Readonly<Record<string, Delivery>> = {
  [downloadKind]: {
    async send(context, payloads) {
      const { imageSizeCap } = await loadSettings(context);
      const maxSize = Math.min(imageSizeCap, maxDataSize);
      const downloads = (payloads as readonly Download[]).map(async (one) =>
        endTaskOf(context, one, await download(context, one.url, maxSize)),
      );
      await Promise.all(downloads);
    },
    async abandoned(context, payloads) {
      for (const { taskId } of payloads as readonly Download[])
        await endDownload(context, taskId, undefined);
    },
  },
};
