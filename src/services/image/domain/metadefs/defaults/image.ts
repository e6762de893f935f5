// Default metadata definitions: images and their operating systems.
// Names, types and values are those of upstream's etc/metadefs.
import { forType, text, words, type DefaultNamespace } from './shapes.ts';

export const imageDefaults: readonly DefaultNamespace[] = [
  {
    namespace: 'OS::Glance::CommonImageProperties',
    displayName: 'Common Image Properties',
    description:
      'Properties that images have in most clouds, and that tell users and services about them.',
    visibility: 'private',
    properties: {
      kernel_id: text('Kernel ID', 'The image with the kernel that boots this image.', {
        pattern:
          '^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$',
      }),
      ramdisk_id: text('Ramdisk ID', 'The image with the ramdisk that boots this image.', {
        pattern:
          '^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$',
      }),
      instance_uuid: text('Instance ID', 'The server that the image was made of.'),
      architecture: text(
        'CPU Architecture',
        'The architecture of CPU that the image needs, such as `x86_64`.',
      ),
      os_distro: text('OS Distro', 'The distribution of the operating system in lower case.'),
      hw_cpu_mode: text('CPU Mode', 'Where the model of the CPU comes from.'),
      os_version: text('OS Version', 'The version of the operating system.'),
      description: text('Image description', 'What people should know about the image.'),
      cinder_encryption_key_id: text(
        'Cinder Encryption Key ID',
        'The key with which Cinder decrypts a volume made from the image.',
      ),
      cinder_encryption_key_deletion_policy: text(
        'Cinder Encryption Key Deletion Policy',
        'Whether the key is deleted with the image.',
        { enum: ['on_image_deletion', 'do_not_delete'] },
      ),
    },
  },
  {
    namespace: 'OS::Glance::Signatures',
    displayName: 'Image Signature Verification',
    description:
      'The signature of an image, with which Nova verifies its data before it boots a server.',
    isProtected: false,
    associations: [forType('OS::Glance::Image')],
    properties: {
      img_signature: text('Image Signature', 'The signature of the data in base64.'),
      img_signature_certificate_uuid: text(
        'Image Signature Certificate UUID',
        'The certificate in the key manager.',
      ),
      img_signature_hash_method: text('Image Signature Hash Method', 'The hash that was signed.', {
        enum: ['SHA-224', 'SHA-256', 'SHA-384', 'SHA-512'],
      }),
      img_signature_key_type: text('Image Signature Key Type', 'The type of the key that signed.', {
        enum: words(
          'RSA-PSS DSA ECC_SECT571K1 ECC_SECT409K1 ECC_SECT571R1 ECC_SECT409R1 ' +
            'ECC_SECP521R1 ECC_SECP384R1',
        ),
      }),
    },
  },
  {
    namespace: 'OS::OperatingSystem',
    displayName: 'Common Operating System Properties',
    description: 'The operating system in an image or on a volume.',
    visibility: 'private',
    associations: [forType('OS::Glance::Image'), forType('OS::Cinder::Volume', '', 'image')],
    properties: {
      os_distro: text('OS Distro', 'The distribution of the operating system in lower case.'),
      os_version: text('OS Version', 'The version of the operating system.'),
      os_admin_user: text('OS Admin User', 'The user with administrative rights.'),
    },
  },
  {
    namespace: 'OS::Cinder::Volumetype',
    displayName: 'Cinder Volume Type',
    description: 'The type of the volumes that are created from an image.',
    associations: [forType('OS::Glance::Image', 'cinder_')],
    properties: {
      img_volume_type: text(
        'Image Volume Type',
        'The type of volumes that are created from the image.',
      ),
    },
  },
];
