// Strangers at Image.
import { triesStrangers } from './tenant-isolation.ts';

triesStrangers('image', {
  open: [
    'versions:choose',
    'versions:list',
    'schemas:show_image',
    'schemas:show_images',
    'schemas:show_member',
    'schemas:show_members',
    'images:list',
  ],
});
