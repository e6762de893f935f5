// Tests tenant isolation in Tricircle, whose operations are for administrators only.
import { testTenantIsolation } from './tenant-isolation.ts';

testTenantIsolation('tricircle', { open: ['versions:list', 'versions:show'] });
