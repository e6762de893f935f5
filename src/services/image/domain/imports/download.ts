// Downloads images from web servers, but only from the hosts that the settings allow. Upstream:
// validate_import_uri in glance/common/utils.py.
import { sendRequest, NoReply } from '../../../../kernel/http-client.ts';
import { post } from '../../../../kernel/jobs/outbox.ts';
import type { Context } from '../../../../kernel/model.ts';
import { loadSettings, type Settings } from '../settings.ts';

/** The kind of the messages that ask for a download. */
export const downloadKind = 'image.download';

/** A download that a task waits for. */
export interface Download {
  readonly taskId: string;
  readonly url: string;
}

/** Asks for a download, which begins after this transaction. */
export const requestDownload = (context: Context, download: Download): Promise<void> =>
  post(context, downloadKind, download);

/** How long a server may take, in milliseconds. */
const timeout = 30_000;

const maxRedirects = 5;

/** Whether images may be downloaded from the URL. */
export const mayDownload = async (context: Context, url: unknown): Promise<boolean> =>
  isAllowed(await loadSettings(context), url);

function isAllowed({ allowedHosts, allowedPorts }: Settings, text: unknown): boolean {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) return false;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isPortAllowed =
    !url.port || !allowedPorts.length || allowedPorts.includes(Number(url.port));
  return allowedHosts.includes(host) && isPortAllowed;
}

/**
 * Downloads an image, outside of any transaction.
 * @param maxSize the most bytes
 * @returns undefined if the server does not send it, sends more, or redirects to another host
 */
export async function download(
  context: Context,
  url: string,
  maxSize: number,
): Promise<Buffer | undefined> {
  const settings = await loadSettings(context);
  let next = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    if (!isAllowed(settings, next)) return undefined;
    const reply = await sendRequest(next, {
      timeout,
      returnRedirects: true,
      maxBody: maxSize + 1,
    }).catch((error: unknown) => {
      if (error instanceof NoReply) return undefined;
      throw error;
    });
    const location = reply?.headers.get('location');
    if (reply && reply.status >= 300 && reply.status < 400 && location) {
      next = new URL(location, next).href;
      continue;
    }
    return reply?.isOk && reply.body.length <= maxSize ? reply.body : undefined;
  }
  return undefined;
}
