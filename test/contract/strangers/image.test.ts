// Strangers at Image.
import { triesStrangers } from './strangers.ts';

triesStrangers('image', {
  open: ['versions:choose', 'versions:list', 'schemas:show_image', 'schemas:show_images', 'schemas:show_member', 'schemas:show_members', 'images:list'],
}); // prettier-ignore
