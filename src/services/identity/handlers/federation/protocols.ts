// The protocols of identity providers. Upstream: keystone/api/os_federation.py.
import { plainHandlers } from '../../../../kernel/http/plain-resource.ts';
import type { Call } from '../../../../kernel/model.ts';
import { normalized, textOf, type Fields } from '../../domain/attributes.ts';
import {
  createProtocol,
  deleteProtocol,
  requireMapping,
  requireProtocol,
  updateProtocol,
} from '../../domain/federation/protocols.ts';
import type { FederationProtocol } from '../../model.ts';
import { listProtocols, type ProtocolKey } from '../../store/federation/protocols.ts';
import { listedProtocolView, protocolView } from '../../views/federation/federation.ts';
import { wrapped } from '../../views/links.ts';
import { bodyOf, enforce } from '../requests.ts';

/** The protocol in the path. */
const keyOf = ({ params }: Call): ProtocolKey => ({
  providerId: params['identity_provider_id']!,
  id: params['protocol_id']!,
});

const rules = {
  list: 'list_protocols',
  show: 'get_protocol',
  create: 'create_protocol',
  update: 'update_protocol',
  delete: 'delete_protocol',
} as const;

/** The operations of /v3/OS-FEDERATION/identity_providers/{identity_provider_id}/protocols. */
export const { list, show, create, update, remove } = plainHandlers<
  Call,
  FederationProtocol,
  Fields
>({
  authorize: (call, operation) => enforce(call, rules[operation]),
  list: (call) => listProtocols(call.db, call.params['identity_provider_id']!),
  find: (call) => requireProtocol(call, keyOf(call)),
  async fields(call, operation) {
    const fields = normalized(bodyOf(call, 'protocol'));
    // The mapping is checked before the protocol is looked up.
    if (operation === 'update')
      await requireMapping(call, { mappingId: textOf(fields, 'mapping_id') });
    return fields;
  },
  create: (call, fields) => createProtocol(call, keyOf(call), fields),
  update: updateProtocol,
  remove: deleteProtocol,
  body: (call, protocol) => ({ protocol: protocolView(call, protocol) }),
  listBody: (call, protocols) =>
    wrapped(
      call,
      'protocols',
      protocols.map((protocol) => listedProtocolView(call, protocol)),
    ),
});
