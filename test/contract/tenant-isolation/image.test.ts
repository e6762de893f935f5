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
    'schemas:show_metadef_namespace',
    'schemas:show_metadef_namespaces',
    'schemas:show_metadef_object',
    'schemas:show_metadef_objects',
    'schemas:show_metadef_property',
    'schemas:show_metadef_properties',
    'schemas:show_metadef_resource_type',
    'schemas:show_metadef_resource_types',
    'schemas:show_metadef_tag',
    'schemas:show_metadef_tags',
    'schemas:show_task',
    'schemas:show_tasks',
    'info:show_import',
    'info:show_stores',
    'info:show_usage',
    'images:list',
    'metadef_namespaces:list',
    'metadef_resource_types:list',
  ],
});
