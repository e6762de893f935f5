// The tags of a server.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { notFound } from '../../../../kernel/errors.ts';
import type { ComputeCall } from '../../call.ts';
import { addTag, checkTaggable, replaceTags } from '../../domain/servers/fields.ts';
import { hrefTo } from '../../views/links.ts';
import { serverOf } from './subject.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { Server } from '../../model.ts';

const rule = (verb: string): string => `os-server-tags:${verb}`;

export async function list(call: ComputeCall): Promise<Reply> {
  const { tags } = await serverOf(call, rule('index'));
  return ok({ tags });
}

export async function show(call: ComputeCall): Promise<Reply> {
  const { uuid, tags } = await serverOf(call, rule('show'));
  const tag = call.params['id']!;
  if (!tags.includes(tag)) throw notFound(`Server ${uuid} has no tag '${tag}'`);
  return noContent();
}

/** The server in the path. @throws 409 if its state does not allow changes of its tags */
async function taggableServer(call: ComputeCall, verb: string, action: string): Promise<Server> {
  const server = await serverOf(call, rule(verb));
  checkTaggable(server, action);
  return server;
}

export async function update(call: ComputeCall): Promise<Reply> {
  const server = await taggableServer(call, 'update', 'update tag');
  const tag = call.params['id']!;
  if (!(await addTag(call, server, tag))) return noContent();
  return created(undefined, {
    location: hrefTo(call, `servers/${server.uuid}/tags/${encodeURIComponent(tag)}`),
  });
}

export async function replace(call: ComputeCall): Promise<Reply> {
  const server = await taggableServer(call, 'update_all', 'update tags');
  const { tags } = await replaceTags(call, server, (call.body as { tags: string[] }).tags);
  return ok({ tags });
}

export async function remove(call: ComputeCall): Promise<Reply> {
  const server = await taggableServer(call, 'delete', 'delete tag');
  const tag = call.params['id']!;
  if (!server.tags.includes(tag)) throw notFound(`Server ${server.uuid} has no tag '${tag}'`);
  await replaceTags(
    call,
    server,
    server.tags.filter((other) => other !== tag),
  );
  return noContent();
}

export async function removeAll(call: ComputeCall): Promise<Reply> {
  await replaceTags(call, await taggableServer(call, 'delete_all', 'delete tags'), []);
  return noContent();
}
