// Validates extra specs against the known names and their valid values. Upstream:
// nova/api/validation/extra_specs.
import { badRequest, type ApiError } from '../../../kernel/errors.ts';
import { finder } from '../../../kernel/bounded-text.ts';
import { boolFromString } from '../../../kernel/oslo/booleans.ts';
import { standardClasses, standardTraits } from '../clients/placement.ts';

/** Checks a value. @returns the error message for an invalid value */
type Check = (value: string) => string | undefined;

const whole: Check = (value) =>
  /^\s*[+-]?\d+(_\d+)*\s*$/.test(value) ? undefined : `'${value}' is not a valid integer value.`;

const int =
  (least = -Infinity, most = Infinity): Check =>
  (value) => {
    const number = Number(value.replaceAll('_', ''));
    if (whole(value)) return whole(value);
    if (number > most) return `'${number}' is greater than the max value of '${most}'.`;
    return number < least ? `'${number}' is less than the min value of '${least}'.` : undefined;
  };

const anything: Check = () => undefined;
const natural = int(0);
const positive = int(1);

const flag: Check = (value) =>
  boolFromString(value) === undefined ? `'${value}' is not a valid boolean-like value.` : undefined;

const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(value) ? undefined : `'${value}' is not one of: ${values.join(', ')}.`;

const format =
  (pattern: string): Check =>
  (value) =>
    // Upstream's expressions are ambiguous, and take exponential time in a backtracking engine.
    finder(`^(?:${pattern})$`)(value) ? undefined : `'${value}' is not of the format '${pattern}'.`;

const cpus = format('\\^?\\d+((-\\d+)?(,\\^?\\d+(-\\d+)?)?)*');
const level = oneOf('custom', 'high', 'normal', 'low');

/** Assigns one check to several names, which are separated by white space. */
const each = (names: string, check: Check): readonly [string, Check][] =>
  names.split(/\s+/).map((name) => [name, check]);

/** The check of each extra spec, by namespace and by name within the namespace. */
const namespaces: Readonly<Record<string, ReadonlyMap<string, Check>>> = {
  accel: new Map(each('device_profile', anything)),
  capabilities: new Map(
    each(
      `id uuid service_id host vcpus memory_mb local_gb vcpus_used memory_mb_used local_gb_used
      hypervisor_type hypervisor_version hypervisor_hostname free_ram_mb free_disk_gb
      current_workload running_vms disk_available_least host_ip mapped cpu_allocation_ratio
      ram_allocation_ratio disk_allocation_ratio total_usable_ram_mb total_usable_disk_gb
      disk_mb_used free_disk_mb vcpus_total num_instances num_io_ops failed_builds aggregates
      cell_uuid updated`,
      anything,
    ),
  ),
  hw: new Map([
    ...each(
      `cpu_realtime hide_hypervisor_id locked_memory boot_menu vif_multiqueue_enabled
      mem_encryption pmu`,
      flag,
    ),
    ...each('virtio_packed_ring ephemeral_encryption', flag),
    ...each(
      'numa_nodes cpu_sockets cpu_cores cpu_threads cpu_max_sockets cpu_max_cores cpu_max_threads',
      positive,
    ),
    ['cpu_realtime_mask', format('(\\^)?\\d+((-\\d+)?(,\\^?\\d+(-\\d+)?)?)*')],
    ['cpu_policy', oneOf('dedicated', 'shared', 'mixed')],
    ['cpu_thread_policy', oneOf('prefer', 'isolate', 'require')],
    ['emulator_threads_policy', oneOf('isolate', 'share')],
    ['cpu_dedicated_mask', cpus],
    ['mem_page_size', format('(large|small|any|\\d+([kKMGT]i?)?(b|bit|B)?)')],
    ['pci_numa_affinity_policy', oneOf('required', 'preferred', 'legacy', 'socket')],
    ['mem_encryption_model', oneOf('amd-sev', 'amd-sev-es', 'amd-sev-snp')],
    ['pmem', format('([a-zA-Z0-9_]+,?)+')],
    ['serial_port_count', natural],
    ['tpm_model', oneOf('tpm-tis', 'tpm-crb')],
    ['tpm_version', oneOf('1.2', '2.0')],
    ['tpm_secret_security', oneOf('user', 'host', 'deployment')],
    ['watchdog_action', oneOf('none', 'pause', 'poweroff', 'reset', 'disabled')],
    ['viommu_model', oneOf('intel', 'smmuv3', 'virtio', 'auto')],
    ['sound_model', oneOf('sb16', 'es1370', 'pcspk', 'ac97', 'ich6', 'ich9', 'usb', 'virtio')],
    ['usb_model', oneOf('none', 'nec-xhci', 'qemu-xhci')],
    ['redirected_usb_ports', int(0, 15)],
    ['ephemeral_encryption_format', oneOf('plain', 'luks', 'luksv2')],
  ]),
  hw_rng: new Map([['allowed', flag], ...each('rate_bytes rate_period', natural)]),
  hw_video: new Map(each('ram_max_mb', natural)),
  os: new Map(each('secure_boot', oneOf('disabled', 'required'))),
  pci_passthrough: new Map(each('alias', format('[^:]+:\\d+(?:\\s*,\\s*[^:]+:\\d+)*'))),
  quota: new Map([
    ...each('cpu_limit memory_limit disk_io_limit vif_limit cpu_shares cpu_period', natural),
    ...each('cpu_shares_share memory_shares_share disk_io_shares_share vif_shares_share', natural),
    ...each(
      'disk_read_bytes_sec disk_read_iops_sec disk_write_bytes_sec disk_write_iops_sec',
      natural,
    ),
    ...each(
      `disk_total_bytes_sec disk_total_iops_sec vif_inbound_average vif_inbound_peak
      vif_inbound_burst`,
      natural,
    ),
    ...each('vif_outbound_average vif_outbound_peak vif_outbound_burst', natural),
    ...each(
      'cpu_reservation memory_reservation disk_io_reservation vif_reservation cpu_quota',
      int(),
    ),
    ...each('cpu_shares_level memory_shares_level disk_io_shares_level vif_shares_level', level),
  ]),
  vmware: new Map(each('hw_version storage_policy', anything)),
};

/** The checks of extra specs without a namespace. */
const plain: ReadonlyMap<string, Check> = new Map([
  ['hide_hypervisor_id', flag],
  ['group_policy', oneOf('isolate', 'none')],
]);

/** The capabilities that have further names below them. */
const nestedCapabilities = [
  'cpu_info',
  'metrics',
  'stats',
  'numa_topology',
  'supported_hv_specs',
  'pci_device_pools',
  'nodename',
  'pci_stats',
  'supported_instances',
  'limits',
  'instances',
];

/** The checks of extra specs whose names match a pattern. */
const patterns: readonly (readonly [RegExp, Check])[] = [
  [/^hw:numa_cpus.\d+$/, cpus],
  [/^hw:numa_mem.\d+$/, positive],
  [/^aggregate_instance_extra_specs:.+$/, anything],
  [new RegExp(`^capabilities:(${nestedCapabilities.join('|')})(:\\w+)*$`), anything],
];

const classes: ReadonlySet<string> = new Set(standardClasses);
const traits: ReadonlySet<string> = new Set(standardTraits);

/** Validates an extra spec (from 2.86). @throws 400 */
export function checkExtraSpec(name: string, value: string): void {
  const [, prefix, suffix] =
    /^(resources|trait)(?:[a-zA-Z0-9_-]{1,64})?:([A-Z0-9_]+)$/.exec(name) ?? [];
  if (prefix !== undefined && isStandardOrCustom(prefix, suffix!)) {
    const check = prefix === 'resources' ? int() : oneOf('required', 'forbidden');
    return throwIfInvalid(check(value));
  }
  const check = checkFor(name) ?? patterns.find(([pattern]) => pattern.test(name))?.[1];
  if (check) return throwIfInvalid(check(value));
  if (hasKnownNamespace(name))
    throw invalidSpec(`extra spec '${name}' does not appear to be a valid extra spec.`);
}

/** The check for an exact name. */
function checkFor(name: string): Check | undefined {
  const separator = name.indexOf(':');
  if (separator < 0) return plain.get(name);
  const namespace = name.slice(0, separator);
  return Object.hasOwn(namespaces, namespace)
    ? namespaces[namespace]!.get(name.slice(separator + 1))
    : undefined;
}

/** Whether all names in the namespace of an extra spec are known, so that others are invalid. */
function hasKnownNamespace(name: string): boolean {
  const separator = name.indexOf(':');
  if (separator < 0) return false;
  const namespace = name.slice(0, separator);
  return (
    Object.hasOwn(namespaces, namespace) ||
    namespace === 'aggregate_instance_extra_specs' ||
    /^(resources|trait)([a-zA-Z0-9_-]{1,64})?$/.test(namespace)
  );
}

const isStandardOrCustom = (namespace: string, name: string): boolean =>
  /^CUSTOM_./.test(name) || (namespace === 'resources' ? classes : traits).has(name);

const invalidSpec = (reason: string): ApiError => badRequest(`Validation failed; ${reason}`);

function throwIfInvalid(message: string | undefined): void {
  if (message !== undefined) throw invalidSpec(message);
}
