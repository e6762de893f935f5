// Default metadata definitions: what Nova and its scheduler read.
// Names, types and values are those of upstream's etc/metadefs.
import { forType, integer, list, number, text, words, type DefaultNamespace } from './shapes.ts';

export const computeDefaults: readonly DefaultNamespace[] = [
  {
    namespace: 'OS::Compute::AggregateDiskFilter',
    displayName: 'Disk Allocation per Host',
    description: 'What AggregateDiskFilter, a filter of Nova, reads from host aggregates.',
    associations: [forType('OS::Nova::Aggregate')],
    properties: {
      disk_allocation_ratio: number(
        'Disk Subscription Ratio',
        'How much of the disk of a host may be promised: 1.0 for what it has, 2.0 for twice as much.',
        { readonly: false },
      ),
    },
  },
  {
    namespace: 'OS::Compute::AggregateIoOpsFilter',
    displayName: 'IO Ops per Host',
    description: 'What AggregateIoOpsFilter, a filter of Nova, reads from host aggregates.',
    associations: [forType('OS::Nova::Aggregate')],
    properties: {
      max_io_ops_per_host: integer(
        'Maximum IO Operations per Host',
        'How many servers of a host may be in a state with much input and output at once.',
        { readonly: false, default: 8, minimum: 1 },
      ),
    },
  },
  {
    namespace: 'OS::Compute::AggregateNumInstancesFilter',
    displayName: 'Instances per Host',
    description: 'What AggregateNumInstancesFilter, a filter of Nova, reads from host aggregates.',
    isProtected: false,
    associations: [forType('OS::Nova::Aggregate')],
    properties: {
      max_instances_per_host: integer(
        'Max Instances Per Host',
        'How many servers a host may run.',
        { readonly: false, minimum: 0 },
      ),
    },
  },
  {
    namespace: 'OS::Compute::CPUMode',
    displayName: 'CPU Mode',
    description: 'Which model of CPU a server gets.',
    isProtected: false,
    associations: [forType('OS::Glance::Image', 'hw_'), forType('OS::Nova::Flavor', 'hw:')],
    properties: {
      cpu_mode: text('CPU Mode', 'Where the model of the CPU comes from.', {
        enum: ['none', 'host-model', 'host-passthrough', 'custom'],
      }),
    },
  },
  {
    namespace: 'OS::Compute::CPUPinning',
    displayName: 'CPU Pinning',
    description: 'Whether the virtual CPUs of a server are pinned to CPUs and threads of the host.',
    associations: [
      forType('OS::Glance::Image', 'hw_'),
      forType('OS::Cinder::Volume', 'hw_', 'image'),
      forType('OS::Nova::Flavor', 'hw:'),
    ],
    properties: {
      cpu_policy: text(
        'CPU Pinning policy',
        'Whether virtual CPUs share CPUs of the host, or have their own.',
        { enum: ['shared', 'dedicated'] },
      ),
      cpu_thread_policy: text(
        'CPU Thread Pinning Policy.',
        'Whether virtual CPUs use both threads of a core.',
        { enum: ['isolate', 'prefer', 'require'] },
      ),
    },
  },
  {
    namespace: 'OS::Compute::GuestMemoryBacking',
    displayName: 'Guest Memory Backing',
    description: 'The size of the memory pages that back the memory of a server.',
    associations: [
      forType('OS::Nova::Flavor', 'hw:'),
      forType('OS::Glance::Image', 'hw_'),
      forType('OS::Cinder::Volume', 'hw_', 'image'),
    ],
    properties: {
      mem_page_size: text(
        'Size of memory page',
        'The size of a page, such as `2MB`, or `any`, `small` or `large`.',
      ),
    },
  },
  {
    namespace: 'OS::Compute::GuestShutdownBehavior',
    displayName: 'Shutdown Behavior',
    description: 'How a server is shut down before it is stopped, rescued, resized or shelved.',
    associations: [forType('OS::Glance::Image')],
    properties: {
      os_shutdown_timeout: integer(
        'Shutdown timeout',
        'The seconds that a server has to shut down before it is powered off.',
        { minimum: 0 },
      ),
    },
  },
  {
    namespace: 'OS::Compute::HostCapabilities',
    displayName: 'Compute Host Capabilities',
    description:
      'The hardware that a host must offer, as ComputeCapabilitiesFilter of Nova compares it.',
    associations: [
      forType('OS::Nova::Flavor', 'capabilities:'),
      forType('OS::Nova::Aggregate', 'aggregate_instance_extra_specs:'),
    ],
    properties: {
      'cpu_info:vendor': text('Vendor', 'The manufacturer of the CPU.', {
        operators: ['<or>'],
        enum: ['Intel', 'AMD'],
      }),
      'cpu_info:model': text('Model', 'The model of the CPU.', {
        operators: ['<or>'],
        enum: [
          'Conroe',
          'Core2Duo',
          'Penryn',
          'Nehalem',
          'Westmere',
          'SandyBridge',
          'IvyBridge',
          'Haswell',
          'Broadwell',
          'Delhi',
          'Seoul',
          'Abu Dhabi',
          'Interlagos',
          'Kabini',
          'Valencia',
          'Zurich',
          'Budapest',
          'Barcelona',
          'Suzuka',
          'Shanghai',
          'Istanbul',
          'Lisbon',
          'Magny-Cours',
          'Cortex-A57',
          'Cortex-A53',
          'Cortex-A12',
          'Cortex-A17',
          'Cortex-A15',
          'Coretx-A7',
          'X-Gene',
        ],
      }),
      'cpu_info:arch': text('Architecture', 'The architecture of the CPU.', {
        operators: ['<or>'],
        enum: ['x86', 'x86_64', 'i686', 'ia64', 'ARMv8-A', 'ARMv7-A'],
      }),
      'cpu_info:topology:cores': integer('cores', 'The number of cores.', {
        readonly: false,
        default: 1,
      }),
      'cpu_info:topology:threads': integer('threads', 'The number of threads.', {
        readonly: false,
        default: 1,
      }),
      'cpu_info:topology:sockets': integer('sockets', 'The number of sockets.', {
        readonly: false,
        default: 1,
      }),
      'cpu_info:features': list('Features', 'The flags of the CPU.', {
        operators: ['<or>', '<all-in>'],
        items: {
          type: 'string',
          enum: words(
            'fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 pn ' +
              'clflush dts acpi mmx fxsr sse sse2 ss ht tm ia64 pbe syscall mp nx mmxext ' +
              'fxsr_opt pdpe1gb rdtscp lm 3dnowext 3dnow arch_perfmon pebs bts rep_good nopl ' +
              'xtopology tsc_reliable nonstop_tsc extd_apicid amd_dcm aperfmperf eagerfpu ' +
              'nonstop_tsc_s3 pni pclmulqdq dtes64 monitor ds_cpl vmx smx est tm2 ssse3 cid ' +
              'fma cx16 xtpr pdcm pcid dca sse4_1 sse4_2 x2apic movbe popcnt ' +
              'tsc_deadline_timer aes xsave avx f16c rdrand hypervisor rng rng_en ace ace_en ' +
              'ace2 ace2_en phe phe_en pmm pmm_en lahf_lm cmp_legacy svm extapic cr8_legacy ' +
              'abm sse4a misalignsse 3dnowprefetch osvw ibs xop skinit wdt lwp fma4 tce ' +
              'nodeid_msr tbm topoext perfctr_core perfctr_nb bpext perfctr_l2 mwaitx ida arat ' +
              'cpb epb pln pts dtherm hw_pstate proc_feedback hwp hwp_notify hwp_act_window ' +
              'hwp_epp hwp_pkg_req intel_pt tpr_shadow vnmi flexpriority ept vpid npt lbrv ' +
              'svm_lock nrip_save tsc_scale vmcb_clean flushbyasid decodeassists pausefilter ' +
              'pfthreshold vmmcall fsgsbase tsc_adjust bmi1 hle avx2 smep bmi2 erms invpcid ' +
              'rtm cqm mpx avx512f rdseed adx smap pcommit clflushopt clwb avx512pf avx512er ' +
              'avx512cd sha_ni xsaveopt xsavec xgetbv1 xsaves cqm_llc cqm_occup_llc clzero',
          ),
        },
      }),
    },
  },
  {
    namespace: 'OS::Compute::Hypervisor',
    displayName: 'Hypervisor Selection',
    description: 'The hypervisor that an image needs, for clouds with more than one kind.',
    associations: [forType('OS::Glance::Image')],
    properties: {
      hypervisor_type: text('Hypervisor Type', 'The hypervisor that the image needs.', {
        enum: words('baremetal hyperv kvm lxc powervm qemu uml vmware vz xen'),
      }),
      vm_mode: text('VM Mode', 'The interface between host and guest.', {
        enum: ['hvm', 'xen', 'uml', 'exe'],
      }),
    },
  },
  {
    namespace: 'OS::Compute::InstanceData',
    displayName: 'Instance Config Data',
    description:
      'How a server reads its own configuration, and how its file systems are prepared for snapshots.',
    associations: [forType('OS::Glance::Image'), forType('OS::Cinder::Volume', '', 'image')],
    properties: {
      img_config_drive: text('Config Drive', 'Whether the server must have a config drive.', {
        enum: ['optional', 'mandatory'],
      }),
      os_require_quiesce: text(
        'Require Quiescent File system',
        'Whether file systems must be frozen for a snapshot.',
        { enum: ['yes', 'no'] },
      ),
    },
  },
  {
    namespace: 'OS::Compute::Quota',
    displayName: 'Flavor Quota',
    description: 'Limits on the CPU, disk and network that a server uses of its host.',
    associations: [forType('OS::Nova::Flavor')],
    objects: [
      {
        name: 'CPU Limits',
        description: 'Limits on the CPU.',
        properties: {
          'quota:cpu_shares': integer(
            'Quota: CPU Shares',
            'The share of CPU time in relation to other servers.',
          ),
          'quota:cpu_period': integer(
            'Quota: CPU Period',
            'The period of the CPU quota in microseconds.',
            { minimum: 1000, maximum: 1000000 },
          ),
          'quota:cpu_quota': integer(
            'Quota: CPU Quota',
            'The CPU time of a period in microseconds; a negative value is unlimited.',
          ),
        },
      },
      {
        name: 'Disk QoS',
        description: 'Limits on the disk.',
        properties: {
          'quota:disk_read_bytes_sec': integer(
            'Quota: Disk read bytes / sec',
            'The most bytes read in a second.',
          ),
          'quota:disk_read_iops_sec': integer(
            'Quota: Disk read IOPS / sec',
            'The most reads in a second.',
          ),
          'quota:disk_write_bytes_sec': integer(
            'Quota: Disk Write Bytes / sec',
            'The most bytes written in a second.',
          ),
          'quota:disk_write_iops_sec': integer(
            'Quota: Disk Write IOPS / sec',
            'The most writes in a second.',
          ),
          'quota:disk_total_bytes_sec': integer(
            'Quota: Disk Total Bytes / sec',
            'The most bytes read and written in a second.',
          ),
          'quota:disk_total_iops_sec': integer(
            'Quota: Disk Total IOPS / sec',
            'The most reads and writes in a second.',
          ),
        },
      },
      {
        name: 'Virtual Interface QoS',
        description: 'Limits on the network interfaces.',
        properties: {
          'quota:vif_inbound_average': integer(
            'Quota: VIF Inbound Average',
            'The average rate of incoming traffic in kilobytes a second.',
          ),
          'quota:vif_inbound_burst': integer(
            'Quota: VIF Inbound Burst',
            'The kilobytes that can come in at the peak rate.',
          ),
          'quota:vif_inbound_peak': integer(
            'Quota: VIF Inbound Peak',
            'The peak rate of incoming traffic in kilobytes a second.',
          ),
          'quota:vif_outbound_average': integer(
            'Quota: VIF Outbound Average',
            'The average rate of outgoing traffic in kilobytes a second.',
          ),
          'quota:vif_outbound_burst': integer(
            'Quota: VIF Outbound Burst',
            'The kilobytes that can go out at the peak rate.',
          ),
          'quota:vif_outbound_peak': integer(
            'Quota: VIF Outbound Peak',
            'The peak rate of outgoing traffic in kilobytes a second.',
          ),
        },
      },
    ],
  },
  {
    namespace: 'OS::Compute::VirtCPUTopology',
    displayName: 'Virtual CPU Topology',
    description: 'How the virtual CPUs of a server are divided into sockets, cores and threads.',
    associations: [
      forType('OS::Glance::Image', 'hw_'),
      forType('OS::Cinder::Volume', 'hw_', 'image'),
      forType('OS::Nova::Flavor', 'hw:'),
    ],
    properties: {
      cpu_sockets: integer('vCPU Sockets', 'The preferred number of sockets.'),
      cpu_cores: integer('vCPU Cores', 'The preferred number of cores of a socket.'),
      cpu_threads: integer('vCPU Threads', 'The preferred number of threads of a core.'),
      cpu_max_sockets: integer('Max vCPU Sockets', 'The most sockets.'),
      cpu_max_cores: integer('Max vCPU Cores', 'The most cores of a socket.'),
      cpu_max_threads: integer('Max vCPU Threads', 'The most threads of a core.'),
    },
  },
];
