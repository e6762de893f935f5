// Default metadata definitions: what the libvirt driver of Nova reads.
// Names, types and values are those of upstream's etc/metadefs.
import { flag, forType, integer, text, words, type DefaultNamespace } from './shapes.ts';

export const libvirtDefaults: readonly DefaultNamespace[] = [
  {
    namespace: 'OS::Compute::LibvirtImage',
    displayName: 'libvirt Driver Options for Images',
    description: 'Properties of images that the libvirt driver of Nova reads.',
    associations: [forType('OS::Glance::Image')],
    properties: {
      hw_cdrom_bus: text('CD-ROM Bus', 'The controller of CD-ROM drives.', {
        enum: words('scsi virtio uml xen ide usb fdc sata lxc'),
      }),
      hw_disk_bus: text('Disk Bus', 'The controller of disks.', {
        enum: words('scsi virtio uml xen ide usb fdc sata lxc'),
      }),
      hw_firmware_type: text('Firmware Type', 'The firmware that boots the image.', {
        enum: ['bios', 'uefi'],
      }),
      hw_firmware_stateless: flag(
        'Stateless Firmware',
        'Whether the firmware is read-only and keeps no variables.',
      ),
      hw_rng_model: text(
        'Random Number Generator Device model',
        'The model of the random number generator.',
        { default: 'virtio' },
      ),
      hw_machine_type: text('Machine Type', 'The machine that QEMU emulates.'),
      hw_scsi_model: text('SCSI Model', 'The model of SCSI controllers.', {
        default: 'virtio-scsi',
      }),
      hw_video_model: text('Video Model', 'The model of the graphics device.', {
        enum: words('vga cirrus vmvga xen qxl virtio gop none bochs'),
      }),
      hw_video_ram: integer('Max Video Ram', 'The memory of the graphics device in MB.', {
        minimum: 0,
      }),
      os_command_line: text('Kernel Command Line', 'The command line of the kernel.'),
      os_type: text('OS Type', 'The operating system, which some defaults depend on.', {
        enum: ['linux', 'windows'],
      }),
      hw_vif_model: text('Virtual Network Interface', 'The model of network interfaces.', {
        enum: words('e1000 e1000e ne2k_pci netfront pcnet rtl8139 spapr-vlan virtio vmxnet3 igb'),
      }),
      hw_vif_multiqueue_enabled: text(
        'Multiqueue Enabled',
        'Whether network interfaces have a queue for each virtual CPU.',
        { enum: ['true', 'false'] },
      ),
      hw_pmu: text(
        'Virtual Performance Monitoring Unit',
        'Whether the server has a performance monitoring unit.',
        { enum: ['true', 'false'] },
      ),
      hw_qemu_guest_agent: text(
        'QEMU Guest Agent',
        'Whether the QEMU guest agent runs in the server.',
        { enum: ['yes', 'no'] },
      ),
      hw_pointer_model: text('Pointer Model', 'The pointing device.', { enum: ['usbtablet'] }),
      img_hide_hypervisor_id: text(
        'Hide hypervisor id',
        'Whether the guest does not see the hypervisor.',
        { enum: ['yes', 'no'] },
      ),
    },
  },
  {
    namespace: 'OS::Compute::Libvirt',
    displayName: 'libvirt Driver Options',
    description: 'Properties of images and flavors that the libvirt driver of Nova reads.',
    associations: [forType('OS::Glance::Image', 'hw_'), forType('OS::Nova::Flavor', 'hw:')],
    properties: {
      serial_port_count: integer('Serial Port Count', 'The number of serial ports.', {
        minimum: 0,
      }),
      boot_menu: text('Boot Menu', 'Whether the BIOS shows a boot menu.', {
        enum: ['true', 'false'],
      }),
      mem_encryption: text(
        'Hardware Memory Encryption',
        'Whether the hardware encrypts the memory of the server.',
        { enum: ['true', 'false'] },
      ),
      mem_encryption_model: text(
        'Hardware Memory Encryption Model',
        'The feature of the hardware that encrypts memory.',
        { enum: ['amd-sev', 'amd-sev-es', 'amd-sev-snp'] },
      ),
      virtio_packed_ring: text('Virtio Packed Ring', 'Whether virtio devices use packed rings.', {
        enum: ['true', 'false'],
      }),
    },
  },
  {
    namespace: 'OS::Compute::RandomNumberGenerator',
    displayName: 'Random Number Generator',
    description: 'Limits on the random number generator of a server, if its image asks for one.',
    associations: [forType('OS::Nova::Flavor')],
    properties: {
      'hw_rng:allowed': flag(
        'Random Number Generator Allowed',
        'Whether servers may have a random number generator.',
      ),
      'hw_rng:rate_bytes': integer(
        'Random number generator limits.',
        'The bytes that a server can read in a period.',
      ),
      'hw_rng:rate_period': integer(
        'Random number generator read period.',
        'The length of a period in milliseconds.',
      ),
    },
  },
  {
    namespace: 'OS::Compute::TPM',
    displayName: 'TPM Options',
    description: 'The trusted platform module (TPM) of a server.',
    associations: [forType('OS::Nova::Flavor', 'hw:'), forType('OS::Glance::Image', 'hw_')],
    properties: {
      tpm_model: text('TPM model', 'The model of the TPM; `tpm-crb` only with version 2.0.', {
        operators: ['<or>'],
        enum: ['tpm-tis', 'tpm-crb'],
        default: 'tpm-tis',
      }),
      tpm_version: text('TPM version', 'The version of the TPM.', {
        operators: ['<or>'],
        enum: ['1.2', '2.0'],
      }),
    },
  },
  {
    namespace: 'OS::Compute::VTPM',
    displayName: 'Emulated Virtual TPM',
    description: 'The versions of an emulated trusted platform module that a host must support.',
    associations: [forType('OS::Nova::Flavor', 'traits:'), forType('OS::Glance::Image', 'traits:')],
    properties: {
      COMPUTE_SECURITY_TPM_1_2: text(
        'Virtual TPM Version 1.2 Support',
        'Whether the host must support version 1.2.',
        { enum: ['required'], default: 'required' },
      ),
      COMPUTE_SECURITY_TPM_2_0: text(
        'Virtual TPM Version 2.0 Support',
        'Whether the host must support version 2.0.',
        { enum: ['required'], default: 'required' },
      ),
    },
  },
  {
    namespace: 'OS::Compute::Watchdog',
    displayName: 'Watchdog Behavior',
    description: 'What happens if a server hangs and its watchdog notices.',
    associations: [
      forType('OS::Glance::Image', 'hw_'),
      forType('OS::Cinder::Volume', 'hw_', 'image'),
      forType('OS::Nova::Flavor', 'hw:'),
    ],
    properties: {
      watchdog_action: text('Watchdog Action', 'What the watchdog does with a server that hangs.', {
        enum: ['disabled', 'reset', 'poweroff', 'pause', 'none'],
      }),
    },
  },
];
