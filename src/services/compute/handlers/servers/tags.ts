// Tags of a server.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { badRequest, notFound } from '../../../../kernel/fault.ts';
import type { ComputeCall } from '../../call.ts';
import { wrongState } from '../../domain/servers/checks.ts';
import { updateServer, type Server } from '../../store/servers/servers.ts';
import { hrefTo } from '../../views/links.ts';
import { serverOf } from './subject.ts';
import type { Reply } from '../../../../kernel/model.ts';

/** So many tags a server may have, and so long each may be. */
const mostTags = 50;
const longestTag = 60;

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

/** @throws 409 where the state of the server does not allow another tag */
async function changeable(call: ComputeCall, verb: string, action: string): Promise<Server> {
  const server = await serverOf(call, rule(verb));
  if (!['active', 'paused', 'suspended', 'stopped'].includes(server.vmState))
    throw wrongState(server, action, 'vm_state', server.vmState);
  return server;
}

const write = (call: ComputeCall, server: Server, tags: readonly string[]): Promise<Server> =>
  updateServer(call.db, server, { tags: [...new Set(tags)].sort() }, call.now);

export async function update(call: ComputeCall): Promise<Reply> {
  const server = await changeable(call, 'update', 'update tag');
  const tag = call.params['id']!;
  const wrong = /[,/]/.test(tag)
    ? `'${tag}' does not match '^[^,/]*$'`
    : tag.length > longestTag
      ? `'${tag}' is too long`
      : undefined;
  if (wrong !== undefined) {
    throw badRequest(
      `Tag '${tag}' is invalid. It must be a non empty string without characters '/' and ','. Validation error message: ${wrong}`,
    );
  }
  if (server.tags.length >= mostTags) throw badRequest(`The number of tags exceeded the per-server limit ${mostTags}`);
  if (server.tags.includes(tag)) return noContent();
  await write(call, server, [...server.tags, tag]);
  return created(undefined, { location: hrefTo(call, `servers/${server.uuid}/tags/${encodeURIComponent(tag)}`) });
}

export async function replace(call: ComputeCall): Promise<Reply> {
  const server = await changeable(call, 'update_all', 'update tags');
  const { tags } = await write(call, server, (call.body as { tags: string[] }).tags);
  return ok({ tags });
}

export async function remove(call: ComputeCall): Promise<Reply> {
  const server = await changeable(call, 'delete', 'delete tag');
  const tag = call.params['id']!;
  if (!server.tags.includes(tag)) throw notFound(`Server ${server.uuid} has no tag '${tag}'`);
  await write(call, server, server.tags.filter((one) => one !== tag)); // prettier-ignore
  return noContent();
}

export async function removeAll(call: ComputeCall): Promise<Reply> {
  await write(call, await changeable(call, 'delete_all', 'delete tags'), []);
  return noContent();
}
