// Tests tenant isolation in Image.
import { testTenantIsolation } from './tenant-isolation.ts';

testTenantIsolation('image', {
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
