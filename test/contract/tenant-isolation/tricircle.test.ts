// Tests tenant isolation in Tricircle. Its operations are for administrators only, but for those
// on the volume placement of the caller's own project.
import { testTenantIsolation } from './tenant-isolation.ts';

testTenantIsolation('tricircle', {
  open: ['versions:list', 'versions:show', 'volume_placement:show', 'volume_placement:update'],
});
