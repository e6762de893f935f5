// Keypairs: list, show, create and delete. They belong to a user, not to a project.
import { noContent, ok, reply } from '../../../kernel/http/reply.ts';
import { badRequest } from '../../../kernel/errors.ts';
import { authorize } from '../../../kernel/http/steps.ts';
import type { ComputeCall } from '../call.ts';
import { deleteKeypair, generateKeys, importKeypair, keypairOf } from '../domain/keypairs.ts';
import { findKeypair, listKeypairs } from '../store/keypairs.ts';
import { keypairItem, keypairView, newKeypairView } from '../views/keypairs.ts';
import { nextPageLinks } from '../views/links.ts';
import { pageOf } from './paging.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { Keypair } from '../model.ts';

/**
 * The user whose keypairs the request concerns: the caller or, from 2.10 on, the user that an
 * administrator names.
 * @throws 403
 */
function userOf(call: ComputeCall, verb: string, requested = call.query.first('user_id')): string {
  const user = (call.version.has('2.10') && requested) || call.caller.userId;
  authorize(call, `os_compute_api:os-keypairs:${verb}`, { user_id: user });
  return user;
}

export async function list(call: ComputeCall): Promise<Reply> {
  const user = userOf(call, 'index');
  if (!call.version.has('2.35'))
    return ok({
      keypairs: (await listKeypairs(call.db, user)).map((keypair) => keypairItem(call, keypair)),
    });
  const { limit, marker } = await pageOf(call);
  if (marker !== undefined && !(await findKeypair(call.db, user, marker)))
    throw badRequest(`Marker ${marker} could not be found.`);
  const page = await listKeypairs(call.db, user, {
    limit,
    ...(marker === undefined ? {} : { after: marker }),
  });
  const links = nextPageLinks(call, 'os-keypairs', page, limit, page.at(-1)?.name ?? '');
  return ok({
    keypairs: page.map((keypair) => keypairItem(call, keypair)),
    ...(links.length ? { keypairs_links: links } : {}),
  });
}

export async function show(call: ComputeCall): Promise<Reply> {
  const user = userOf(call, 'show');
  return ok({ keypair: keypairView(call, await keypairOf(call, user, call.params['id']!)) });
}

interface Body {
  keypair: { name: string; type?: Keypair['type']; public_key?: string; user_id?: string };
}

export async function create(call: ComputeCall): Promise<Reply> {
  const {
    name,
    type = 'ssh',
    public_key: imported,
    user_id: requested,
  } = (call.body as Body).keypair;
  const userId = userOf(call, 'create', requested);
  const keys =
    imported === undefined
      ? await generateKeys(type, userId, call.now)
      : { publicKey: imported, privateKey: undefined };
  const fields = { userId, name: name.trim(), type, publicKey: keys.publicKey };
  const keypair = await importKeypair(call, fields);
  return reply(call.version.has('2.2') ? 201 : 200, {
    keypair: newKeypairView(call, keypair, keys.privateKey),
  });
}

export async function remove(call: ComputeCall): Promise<Reply> {
  await deleteKeypair(call, userOf(call, 'delete'), call.params['id']!);
  return call.version.has('2.2') ? noContent() : reply(202);
}
