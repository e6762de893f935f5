// The schema and the operations of the profile os.nova.server.
import { boolean, integer, list, map, text, type Schema } from '../specs/schema.ts';
import type { Operation } from './types.ts';

const blockDevice = map(
  'A map specifying the properties of a block device to be used by the server.',
  {
    uuid: text('ID of the source image, snapshot or volume'),
    source_type: text(
      "Volume source type, must be one of 'image', 'snapshot', 'volume' or 'blank'",
      { required: true },
    ),
    destination_type: text("Volume destination type, must be 'volume' or 'local'", {
      required: true,
    }),
    disk_bus: text('Bus of the device.'),
    device_name: text('Name of the device(e.g. vda, xda, ....).'),
    volume_size: integer('Size of the block device in MB(for swap) and in GB(for other formats)', {
      required: true,
    }),
    guest_format: text('Specifies the disk file system format(e.g. swap, ephemeral, ...).'),
    boot_index: integer('Define the boot order of the device'),
    device_type: text('Type of the device(e.g. disk, cdrom, ...).'),
    delete_on_termination: boolean('Whether to delete the volume when the server stops.'),
    volume_type: text('Id or name of volume type.'),
  },
);

const network = map('A map specifying the properties of a network for uses.', {
  network: text('Name or ID of network to create a port on.'),
  port: text('Port ID to be used by the network.'),
  vnic_type: text('Define vnic_type to be used by port'),
  fixed_ip: text('Fixed IP to be used by the network.'),
  security_groups: list(
    'A list of security groups to be attached to this port.',
    text('Name of a security group', { required: true }),
  ),
  floating_network: text('The network on which to create a floating IP'),
  floating_ip: text('The floating IP address to be associated with this port.'),
  subnet: text('Subnet in which to allocate the IP address for this port.'),
});

export const novaSchema: Schema = {
  context: map('Customized security context for operating servers.'),
  admin_pass: text('Password for the administrator account.'),
  auto_disk_config: boolean('Whether the disk partition is done automatically.', { initial: true }),
  availability_zone: text('Name of availability zone for running the server.'),
  block_device_mapping_v2: list(
    'A list specifying the properties of block devices to be used for this server.',
    blockDevice,
  ),
  config_drive: boolean('Whether config drive should be enabled for the server.'),
  flavor: text('ID of flavor used for the server.', { required: true, updatable: true }),
  image: text('ID of image to be used for the new server.', { updatable: true }),
  key_name: text('Name of Nova keypair to be injected to server.'),
  metadata: map(
    'A collection of key/value pairs to be associated with the server created. Both key and ' +
      'value must be <=255 chars.',
    undefined,
    { updatable: true },
  ),
  name: text('Name of the server. When omitted, the node name will be used.', { updatable: true }),
  networks: list('List of networks for the server.', network, { updatable: true }),
  personality: list(
    'List of files to be injected into the server, where each.',
    map('A map specifying the path & contents for an injected file.', {
      path: text('In-instance path for the file to be injected.', { required: true }),
      contents: text('Contents of the file to be injected.', { required: true }),
    }),
  ),
  scheduler_hints: map(
    'A collection of key/value pairs to be associated with the Scheduler hints. Both key and ' +
      'value must be <=255 chars.',
  ),
  security_groups: list(
    'List of security groups.',
    text('Name of a security group', { required: true }),
  ),
  user_data: text('User data to be exposed by the metadata server.'),
};

const plain = (description: string): Operation => ({ description, parameters: {} });

export const novaOperations: Readonly<Record<string, Operation>> = {
  reboot: {
    description: 'Reboot the nova server.',
    parameters: {
      type: text("Type of reboot which can be 'SOFT' or 'HARD'.", {
        initial: 'SOFT',
        allowed: ['SOFT', 'HARD'],
      }),
    },
  },
  rebuild: plain('Rebuild the server using current image and admin password.'),
  change_password: {
    description: 'Change the administrator password.',
    parameters: { admin_pass: text('New password for the administrator.') },
  },
  pause: plain('Pause the server from running.'),
  unpause: plain('Unpause the server to running state.'),
  suspend: plain('Suspend the running of the server.'),
  resume: plain('Resume the running of the server.'),
  lock: plain('Lock the server.'),
  unlock: plain('Unlock the server.'),
  start: plain('Start the server.'),
  stop: plain('Stop the server.'),
  rescue: {
    description: 'Rescue the server.',
    parameters: { image_ref: text('A string referencing the image to use.') },
  },
  unrescue: plain('Unrescue the server.'),
  evacuate: {
    description: 'Evacuate the server to a different host.',
    parameters: {
      host: text('The target host to evacuate the server.'),
      force: text('Whether the evacuation should be a forced one.'),
    },
  },
};
