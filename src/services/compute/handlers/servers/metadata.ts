// The metadata of a server.
import { noContent, ok } from '../../../../kernel/http/reply.ts';
import { badRequest, notFound } from '../../../../kernel/errors.ts';
import type { ComputeCall } from '../../call.ts';
import { replaceMetadata } from '../../domain/servers/fields.ts';
import { serverOf } from './subject.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { Server } from '../../model.ts';

type Items = Readonly<Record<string, string>>;

const rule = (verb: string): string => `server-metadata:${verb}`;

export async function list(call: ComputeCall): Promise<Reply> {
  const { metadata } = await serverOf(call, rule('index'));
  return ok({ metadata });
}

export async function show(call: ComputeCall): Promise<Reply> {
  const { metadata } = await serverOf(call, rule('show'));
  const key = keyOf(call, metadata);
  return ok({ meta: { [key]: metadata[key] } });
}

/** The key in the path. @throws 404 if the server has no such item */
function keyOf(call: ComputeCall, metadata: Items): string {
  const key = call.params['id']!;
  if (!Object.hasOwn(metadata, key)) throw notFound('Metadata item was not found');
  return key;
}

export async function create(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, rule('create'));
  const { metadata } = call.body as { metadata: Items };
  return ok({
    metadata: await write(call, server, { ...server.metadata, ...metadata }, 'update metadata'),
  });
}

export async function replace(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, rule('update_all'));
  return ok({
    metadata: await write(
      call,
      server,
      (call.body as { metadata: Items }).metadata,
      'update metadata',
    ),
  });
}

export async function update(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, rule('update'));
  const { meta } = call.body as { meta: Items };
  if (!Object.hasOwn(meta, call.params['id']!)) throw badRequest('Request body and URI mismatch');
  await write(call, server, { ...server.metadata, ...meta }, 'update metadata');
  return ok({ meta });
}

export async function remove(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, rule('delete'));
  const removed = keyOf(call, server.metadata);
  await write(
    call,
    server,
    Object.fromEntries(Object.entries(server.metadata).filter(([key]) => key !== removed)),
    'delete metadata',
  );
  return noContent();
}

const write = async (
  call: ComputeCall,
  server: Server,
  metadata: Items,
  action: string,
): Promise<Items> => (await replaceMetadata(call, server, metadata, action)).metadata;
