// Default metadata definitions: the Common Information Model.
// Names, types and values are those of upstream's etc/metadefs.
import { flag, forType, list, text, words, type DefaultNamespace } from './shapes.ts';

export const cimDefaults: readonly DefaultNamespace[] = [
  {
    namespace: 'CIM::ProcessorAllocationSettingData',
    displayName: 'CIM Processor Allocation Setting',
    description:
      'How a processor is allocated, in the terms of the Common Information Model (CIM) of DMTF.',
    associations: [
      forType('OS::Cinder::Volume', 'CIM_PASD_', 'image'),
      forType('OS::Glance::Image', 'CIM_PASD_'),
      forType('OS::Nova::Aggregate', 'CIM_PASD_'),
      forType('OS::Nova::Flavor', 'CIM_PASD_'),
      forType('OS::Nova::Server', '', 'scheduler_hints'),
    ],
    properties: {
      InstructionSet: text('Instruction Set', 'The instruction set within the architecture.', {
        operators: ['<or>'],
        enum: words(
          'x86:i386 x86:i486 x86:i586 x86:i686 x86:64 IA-64:IA-64 AS/400:TIMI ' +
            'Power:Power_2.03 Power:Power_2.04 Power:Power_2.05 Power:Power_2.06 ' +
            'S/390:ESA/390 S/390:z/Architecture S/390:z/Architecture_2 PA-RISC:PA-RISC_1.0 ' +
            'PA-RISC:PA-RISC_2.0 ARM:A32 ARM:A64 MIPS:MIPS_I MIPS:MIPS_II MIPS:MIPS_III ' +
            'MIPS:MIPS_IV MIPS:MIPS_V MIPS:MIPS32 MIPS64:MIPS64 Alpha:Alpha SPARC:SPARC_V7 ' +
            'SPARC:SPARC_V8 SPARC:SPARC_V9 SPARC:SPARC_JPS1 SPARC:UltraSPARC2005 ' +
            'SPARC:UltraSPARC2007 68k:68000 68k:68010 68k:68020 68k:68030 68k:68040 ' +
            '68k:68060',
        ),
      }),
      ProcessorArchitecture: text('Processor Architecture', 'The architecture of the processor.', {
        operators: ['<or>'],
        enum: words('x86 IA-64 AS/400 Power S/390 PA-RISC ARM MIPS Alpha SPARC 68k'),
      }),
      InstructionSetExtensionName: list(
        'Instruction Set Extension',
        'The extensions of the instruction set.',
        {
          operators: ['<or>', '<all-in>'],
          items: {
            type: 'string',
            enum: words(
              'x86:3DNow x86:3DNowExt x86:ABM x86:AES x86:AVX x86:AVX2 x86:BMI x86:CX16 ' +
                'x86:F16C x86:FSGSBASE x86:LWP x86:MMX x86:PCLMUL x86:RDRND x86:SSE2 x86:SSE3 ' +
                'x86:SSSE3 x86:SSE4A x86:SSE41 x86:SSE42 x86:FMA3 x86:FMA4 x86:XOP x86:TBM ' +
                'x86:VT-d x86:VT-x x86:EPT x86:SVM PA-RISC:MAX PA-RISC:MAX2 ARM:DSP ' +
                'ARM:Jazelle-DBX ARM:Thumb ARM:Thumb-2 ARM:ThumbEE) ARM:VFP ARM:NEON ' +
                'ARM:TrustZone MIPS:MDMX MIPS:MIPS-3D Alpha:BWX Alpha:FIX Alpha:CIX Alpha:MVI',
            ),
          },
        },
      ),
    },
  },
  {
    namespace: 'CIM::ResourceAllocationSettingData',
    displayName: 'CIM Resource Allocation Setting Data',
    description:
      'How any resource is allocated, in the terms of the Common Information Model (CIM) of DMTF.',
    associations: [
      forType('OS::Cinder::Volume', 'CIM_RASD_', 'image'),
      forType('OS::Nova::Aggregate', 'CIM_RASD_'),
      forType('OS::Nova::Flavor', 'CIM_RASD_'),
    ],
    properties: {
      Address: text('Address', 'The address of the resource.'),
      AddressOnParent: text('Address On Parent', 'The address of the resource on its parent.'),
      AllocationUnits: text('Allocation Units', 'The unit of the reservation and of the limit.'),
      AutomaticAllocation: flag(
        'Automatic Allocation',
        'Whether the resource is allocated automatically.',
      ),
      AutomaticDeallocation: flag(
        'Automatic Deallocation',
        'Whether the resource is freed automatically.',
      ),
      ConsumerVisibility: text('Consumer Visibility', 'How the consumer sees the resource.', {
        operators: ['<or>'],
        enum: [
          'Unknown',
          'Passed-Through',
          'Virtualized',
          'Not represented',
          'DMTF reserved',
          'Vendor Reserved',
        ],
      }),
      Limit: text('Limit', 'The most that the allocation can grow to.'),
      MappingBehavior: text(
        'Mapping Behavior',
        'How the resource is mapped to those of the host.',
        {
          operators: ['<or>'],
          enum: [
            'Unknown',
            'Not Supported',
            'Dedicated',
            'Soft Affinity',
            'Hard Affinity',
            'DMTF Reserved',
            'Vendor Reserved',
          ],
        },
      ),
      OtherResourceType: text(
        'Other Resource Type',
        'The type of the resource, if no known one fits.',
      ),
      Parent: text('Parent', 'The parent of the resource.'),
      PoolID: text('Pool ID', 'The pool that the resource is allocated from.'),
      Reservation: text('Reservation', 'What the allocation is guaranteed.'),
      ResourceSubType: text(
        'Resource Sub Type',
        'The subtype of the resource, which depends on the implementation.',
      ),
      ResourceType: text('Resource Type', 'The type of the resource.', {
        operators: ['<or>'],
        enum: [
          'Other',
          'Computer System',
          'Processor',
          'Memory',
          'IDE Controller',
          'Parallel SCSI HBA',
          'FC HBA',
          'iSCSI HBA',
          'IB HCA',
          'Ethernet Adapter',
          'Other Network Adapter',
          'I/O Slot',
          'I/O Device',
          'Floppy Drive',
          'CD Drive',
          'DVD drive',
          'Disk Drive',
          'Tape Drive',
          'Storage Extent',
          'Other storage device',
          'Serial port',
          'Parallel port',
          'USB Controller',
          'Graphics controller',
          'IEEE 1394 Controller',
          'Partitionable Unit',
          'Base Partitionable Unit',
          'Power',
          'Cooling Capacity',
          'Ethernet Switch Port',
          'Logical Disk',
          'Storage Volume',
          'Ethernet Connection',
          'DMTF reserved',
          'Vendor Reserved',
        ],
      }),
      VirtualQuantity: text('Virtual Quantity', 'How much the consumer sees.'),
      VirtualQuantityUnits: text('Virtual Quantity Units', 'The unit of the virtual quantity.'),
      Weight: text('Weight', 'The priority of the allocation among those of the same pool.'),
      Connection: text('Connection', 'What the resource is connected to.'),
      HostResource: text('Host Resource', 'The resources of the host that are assigned.'),
    },
  },
  {
    namespace: 'CIM::StorageAllocationSettingData',
    displayName: 'CIM Storage Allocation Setting Data',
    description:
      'How virtual storage is allocated, in the terms of the Common Information Model (CIM) of DMTF.',
    associations: [
      forType('OS::Cinder::Volume', 'CIM_SASD_'),
      forType('OS::Nova::Aggregate', 'CIM_SASD_'),
      forType('OS::Nova::Flavor', 'CIM_SASD_'),
    ],
    properties: {
      Access: text('Access', 'Whether the storage can be read, written, or both.', {
        operators: ['<or>'],
        enum: ['Unknown', 'Readable', 'Writeable', 'Read/Write Supported', 'DMTF Reserved'],
      }),
      HostExtentName: text('Host Extent Name', 'A unique name of the extent on the host.'),
      HostExtentNameFormat: text(
        'Host Extent Name Format',
        'The format of the name of the extent.',
        {
          operators: ['<or>'],
          enum: [
            'Unknown',
            'Other',
            'SNVM',
            'NAA',
            'EUI64',
            'T10VID',
            'OS Device Name',
            'DMTF Reserved',
          ],
        },
      ),
      HostExtentNameNamespace: text(
        'Host Extent Name Namespace',
        'Where the name of the extent is taken from.',
        {
          operators: ['<or>'],
          enum: [
            'Unknown',
            'Other',
            'VPD83Type3',
            'VPD83Type2',
            'VPD83Type1',
            'VPD80',
            'NodeWWN',
            'SNVM',
            'OS Device Namespace',
            'DMTF Reserved',
          ],
        },
      ),
      HostExtentStartingAddress: text(
        'Host Extent Starting Address',
        'Where the allocation begins on the extent.',
      ),
      HostResourceBlockSize: text('Host Resource Block Size', 'The bytes of a block on the host.'),
      Limit: text('Limit', 'The most that the allocation can grow to.'),
      OtherHostExtentNameFormat: text(
        'Other Host Extent Name Format',
        'The format of the name of the extent, if no known one fits.',
      ),
      OtherHostExtentNameNamespace: text(
        'Other Host Extent Name Namespace',
        'Where the name of the extent is taken from, if from no known place.',
      ),
      Reservation: text('Reservation', 'What the allocation is guaranteed.'),
      VirtualQuantity: text('Virtual Quantity', 'How much the consumer sees.'),
      VirtualQuantityUnits: text('Virtual Quantity Units', 'The unit of the virtual quantity.'),
      VirtualResourceBlockSize: text(
        'Virtual Resource Block Size',
        'The bytes of a block that the consumer sees.',
      ),
    },
  },
  {
    namespace: 'CIM::VirtualSystemSettingData',
    displayName: 'CIM Virtual System Setting Data',
    description:
      'Settings of a virtual machine, in the terms of the Common Information Model (CIM) of DMTF.',
    associations: [
      forType('OS::Nova::Aggregate', 'CIM_VSSD_'),
      forType('OS::Nova::Flavor', 'CIM_VSSD_'),
    ],
    properties: {
      AutomaticRecoveryAction: text(
        'Automatic Recovery Action',
        'What happens if the software of the machine fails.',
        { operators: ['<or>'], enum: ['None', 'Restart', 'Revert to snapshot', 'DMTF Reserved'] },
      ),
      AutomaticShutdownAction: text(
        'Automatic Shutdown Action',
        'What happens to the machine if its host is shut down.',
        { operators: ['<or>'], enum: ['Turn Off', 'Save state', 'Shutdown', 'DMTF Reserved'] },
      ),
      AutomaticStartupAction: text(
        'Automatic Startup Action',
        'What happens to the machine if its host is started.',
        {
          operators: ['<or>'],
          enum: ['None', 'Restart if previously active', 'Always startup', 'DMTF Reserved'],
        },
      ),
      AutomaticStartupActionDelay: text(
        'Automatic Startup Action Delay',
        'How long the machine waits before it starts.',
      ),
      AutomaticStartupActionSequenceNumber: text(
        'Automatic Startup Action Sequence Number',
        'The place of the machine in the order of starts.',
      ),
      ConfigurationDataRoot: text('Configuration Data Root', 'The directory of the configuration.'),
      ConfigurationFile: text('Configuration File', 'The file of the configuration.'),
      ConfigurationID: text('Configuration ID', 'A unique id of the configuration.'),
      CreationTime: text('Creation Time', 'When the configuration was created.'),
      LogDataRoot: text('Log Data Root', 'The directory of logs.'),
      RecoveryFile: text('Recovery File', 'The file with what recovery needs.'),
      SnapshotDataRoot: text('Snapshot Data Root', 'The directory of snapshots.'),
      SuspendDataRoot: text('Suspend Data Root', 'The directory of suspended state.'),
      SwapFileDataRoot: text('Swap File Data Root', 'The directory of swap files.'),
      VirtualSystemIdentifier: text(
        'Virtual System Identifier',
        'The unique name of the machine on its platform.',
      ),
      VirtualSystemType: text('Virtual System Type', 'The type of the machine.'),
      Notes: text('Notes', 'Notes of the user.'),
    },
  },
];
