// Tests tenant isolation in Placement.
import { testTenantIsolation } from './tenant-isolation.ts';

testTenantIsolation('placement', {
  open: ['versions:show'],
});
