// The operations that upstream has removed, which return 410 at every version. Upstream: the
// controllers with `wsgi.removed`.

/** The method and the path below the version; `*` matches one segment of the path. */
const operations: readonly string[] = [
  'GET os-agents',
  'POST os-agents',
  'PUT os-agents/*',
  'DELETE os-agents/*',
  'GET os-cells',
  'POST os-cells',
  'GET os-cells/*',
  'PUT os-cells/*',
  'DELETE os-cells/*',
  'GET os-cells/*/capacities',
  'POST os-cells/sync_instances',
  'POST os-certificates',
  'GET os-certificates/*',
  'GET os-cloudpipe',
  'POST os-cloudpipe',
  'PUT os-cloudpipe/*',
  'GET os-fixed-ips/*',
  'POST os-fixed-ips/*/action',
  'GET os-floating-ip-dns',
  'PUT os-floating-ip-dns/*',
  'DELETE os-floating-ip-dns/*',
  'GET os-floating-ip-dns/*/entries/*',
  'PUT os-floating-ip-dns/*/entries/*',
  'DELETE os-floating-ip-dns/*/entries/*',
  'GET os-floating-ips-bulk',
  'POST os-floating-ips-bulk',
  'GET os-floating-ips-bulk/*',
  'PUT os-floating-ips-bulk/*',
  'GET os-fping',
  'GET os-fping/*',
  'POST os-networks',
  'POST os-networks/add',
  'DELETE os-networks/*',
  'POST os-networks/*/action',
  'GET os-security-group-default-rules',
  'POST os-security-group-default-rules',
  'GET os-security-group-default-rules/*',
  'DELETE os-security-group-default-rules/*',
  'POST os-tenant-networks',
  'DELETE os-tenant-networks/*',
  'GET servers/*/consoles',
  'POST servers/*/consoles',
  'GET servers/*/consoles/*',
  'DELETE servers/*/consoles/*',
  'GET servers/*/os-virtual-interfaces',
];

/** Whether upstream has removed an operation. */
export function isGone(method: string, path: string): boolean {
  const segments = path.split('/').slice(2);
  return operations.some((operation) => {
    const [verb, pattern = ''] = operation.split(' ');
    const expected = pattern.split('/');
    return (
      verb === method &&
      expected.length === segments.length &&
      expected.every(
        (segment, index) => segment === segments[index] || (segment === '*' && segments[index]),
      )
    );
  });
}
