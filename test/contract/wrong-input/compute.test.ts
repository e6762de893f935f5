// Wrong input to Compute.
import { wrongInput } from './wrong-input.ts';

wrongInput('compute');
