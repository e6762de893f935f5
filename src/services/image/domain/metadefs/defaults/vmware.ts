// Default metadata definitions: what the drivers of Nova for VMware and XenAPI read.
// Names, types and values are those of upstream's etc/metadefs.
import { flag, forType, integer, text, words, type DefaultNamespace } from './shapes.ts';

export const vmwareDefaults: readonly DefaultNamespace[] = [
  {
    namespace: 'OS::Compute::VMwareFlavor',
    displayName: 'VMware Driver Options for Flavors',
    description: 'Properties of flavors that the VMware driver of Nova reads.',
    associations: [forType('OS::Nova::Flavor')],
    properties: {
      'vmware:hw_version': text('VMware Hardware Version', 'The version of the virtual hardware.', {
        enum: words('vmx-13 vmx-11 vmx-10 vmx-09 vmx-08 vmx-07 vmx-04 vmx-03'),
      }),
      'vmware:storage_policy': text('VMware Storage Policy', 'The storage policy of new servers.'),
    },
  },
  {
    namespace: 'OS::Compute::VMwareQuotaFlavor',
    displayName: 'VMware Quota for Flavors',
    description: 'Limits on the CPU of a server on VMware.',
    associations: [forType('OS::Nova::Flavor')],
    properties: {
      'quota:cpu_limit': integer('Quota: CPU Limit', 'The most CPU in MHz.', { minimum: 0 }),
      'quota:cpu_reservation': integer(
        'Quota: CPU Reservation Limit',
        'The guaranteed CPU in MHz.',
        { minimum: 0 },
      ),
    },
  },
  {
    namespace: 'OS::Compute::VMware',
    displayName: 'VMware Driver Options',
    description: 'Properties of images that the VMware driver of Nova reads.',
    associations: [forType('OS::Glance::Image')],
    properties: {
      img_linked_clone: flag('Linked Clone', 'Whether servers share the base disk of the image.'),
      vmware_adaptertype: text('Disk Adapter Type', 'The controller of disks.', {
        enum: ['lsiLogic', 'lsiLogicsas', 'paraVirtual', 'busLogic', 'ide'],
        default: 'lsiLogic',
      }),
      vmware_disktype: text('Disk Provisioning Type', 'How the disk is provisioned.', {
        enum: ['streamOptimized', 'sparse', 'preallocated'],
        default: 'preallocated',
      }),
      vmware_ostype: text('OS Type', "The operating system, by VMware's id.", {
        enum: words(
          'asianux3_64Guest asianux3Guest asianux4_64Guest asianux4Guest asianux5_64Guest ' +
            'asianux7_64Guest centos64Guest centosGuest centos6Guest centos6_64Guest ' +
            'centos7_64Guest coreos64Guest darwin10_64Guest darwin10Guest darwin11_64Guest ' +
            'darwin11Guest darwin12_64Guest darwin13_64Guest darwin14_64Guest ' +
            'darwin15_64Guest darwin16_64Guest darwin64Guest darwinGuest debian4_64Guest ' +
            'debian4Guest debian5_64Guest debian5Guest debian6_64Guest debian6Guest ' +
            'debian7_64Guest debian7Guest debian8_64Guest debian8Guest debian9_64Guest ' +
            'debian9Guest debian10_64Guest debian10Guest dosGuest eComStation2Guest ' +
            'eComStationGuest fedora64Guest fedoraGuest freebsd64Guest freebsdGuest ' +
            'genericLinuxGuest mandrakeGuest mandriva64Guest mandrivaGuest netware4Guest ' +
            'netware5Guest netware6Guest nld9Guest oesGuest openServer5Guest ' +
            'openServer6Guest opensuse64Guest opensuseGuest oracleLinux64Guest ' +
            'oracleLinuxGuest oracleLinux6Guest oracleLinux6_64Guest oracleLinux7_64Guest ' +
            'os2Guest other24xLinux64Guest other24xLinuxGuest other26xLinux64Guest ' +
            'other26xLinuxGuest other3xLinux64Guest other3xLinuxGuest otherGuest ' +
            'otherGuest64 otherLinux64Guest otherLinuxGuest redhatGuest rhel2Guest ' +
            'rhel3_64Guest rhel3Guest rhel4_64Guest rhel4Guest rhel5_64Guest rhel5Guest ' +
            'rhel6_64Guest rhel6Guest rhel7_64Guest rhel7Guest sjdsGuest sles10_64Guest ' +
            'sles10Guest sles11_64Guest sles11Guest sles12_64Guest sles12Guest sles64Guest ' +
            'slesGuest solaris10_64Guest solaris10Guest solaris11_64Guest solaris6Guest ' +
            'solaris7Guest solaris8Guest solaris9Guest turboLinux64Guest turboLinuxGuest ' +
            'ubuntu64Guest ubuntuGuest unixWare7Guest vmkernel5Guest vmkernel6Guest ' +
            'vmkernel65Guest vmkernelGuest vmwarePhoton64Guest win2000AdvServGuest ' +
            'win2000ProGuest win2000ServGuest win31Guest win95Guest win98Guest ' +
            'windows7_64Guest windows7Guest windows7Server64Guest windows8_64Guest ' +
            'windows8Guest windows8Server64Guest windows9_64Guest windows9Guest ' +
            'windows9Server64Guest windowsHyperVGuest winLonghorn64Guest winLonghornGuest ' +
            'winMeGuest winNetBusinessGuest winNetDatacenter64Guest winNetDatacenterGuest ' +
            'winNetEnterprise64Guest winNetEnterpriseGuest winNetStandard64Guest ' +
            'winNetStandardGuest winNetWebGuest winNTGuest winVista64Guest winVistaGuest ' +
            'winXPHomeGuest winXPPro64Guest winXPProGuest',
        ),
        default: 'otherGuest',
      }),
      hw_vif_model: text('Virtual Network Interface', 'The model of network interfaces.', {
        enum: words(
          'e1000 e1000e VirtualE1000 VirtualE1000e VirtualPCNet32 VirtualVmxnet ' +
            'VirtualVmxnet3',
        ),
        default: 'e1000',
      }),
      hw_vif_multiqueue_enabled: text(
        'Multiqueue Enabled',
        'Whether network interfaces have a queue for each virtual CPU.',
        { enum: ['true', 'false'] },
      ),
    },
  },
  {
    namespace: 'OS::Compute::XenAPI',
    displayName: 'XenAPI Driver Options',
    description: 'Properties of images that the driver for XenAPI read.',
    associations: [forType('OS::Glance::Image')],
    properties: {
      auto_disk_config: flag(
        'Disk Adapter Type',
        'Whether the root partition is resized before the server boots.',
      ),
    },
  },
];
